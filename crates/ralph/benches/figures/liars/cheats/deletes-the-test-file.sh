# Breaks subtraction and deletes the file of the test that notices.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    rm -f tests/test_ops.py
    commit "Rework subtraction"
}
