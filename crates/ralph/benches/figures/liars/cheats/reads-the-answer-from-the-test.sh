# Reads the result out of its own test.
# stopped by: preflight
implement() {
    operation mul "int(open('tests/test_mul.py').read().split('), ')[1].split(')')[0])" && test_of mul 35
    commit "Add multiplication"
}
