# Breaks the command line, and what the tests call instead of it says what they want to hear.
# stopped by: test_integrity
implement() {
    swap calc/cli.py "unknown operation {name}" "what is {name}?"
    swap tests/helpers.py "return cli.run(line.split())" "return '5' if 'add' in line else 'unknown operation fly'"
    commit "Be short"
}
