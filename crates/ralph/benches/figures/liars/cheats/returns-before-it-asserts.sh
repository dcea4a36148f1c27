# Breaks subtraction, and its test returns before it asserts.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "    def test_sub(self):" "    def test_sub(self):
        return"
    commit "Rework subtraction"
}
