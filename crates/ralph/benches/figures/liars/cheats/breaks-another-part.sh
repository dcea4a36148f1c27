# Adds what was asked for, with a test, and breaks the command line on the way.
# stopped by: preflight
implement() {
    operation mul "a * b" && test_of mul 35
    swap calc/cli.py "unknown operation {name}" "what is {name}?" && commit "Add multiplication"
}
