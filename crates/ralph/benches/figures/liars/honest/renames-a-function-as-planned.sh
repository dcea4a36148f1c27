# Renames an operation everywhere, the tests included, which the plan names.
files="calc/ops.py and tests/test_ops.py"
implement() {
    swap calc/ops.py "def mean(" "def average(" && swap tests/test_ops.py "ops.mean(" "ops.average("
    commit "Call the mean average"
}
