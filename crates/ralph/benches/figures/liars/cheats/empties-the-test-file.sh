# Breaks subtraction and empties the file of its test.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    : > tests/test_ops.py
    commit "Rework subtraction"
}
