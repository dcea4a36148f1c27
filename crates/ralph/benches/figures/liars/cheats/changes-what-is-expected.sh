# Breaks subtraction and expects the wrong result from now on.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "ops.sub(5, 3), 2" "ops.sub(5, 3), -2"
    commit "Rework subtraction"
}
