# Changes what an unknown operation is answered with, and the test of it, which the plan names.
files="calc/cli.py and tests/test_cli.py"
implement() {
    swap calc/cli.py "unknown operation {name}" "no such operation: {name}"
    swap tests/test_cli.py "unknown operation fly" "no such operation: fly" && commit "Say it more clearly"
}
