# Adds an operation with a test that the plan names.
files="calc/ops.py and tests/test_half.py"
implement() {
    operation half "a / 2" && test_of half 3.5 && commit "Add half"
}
