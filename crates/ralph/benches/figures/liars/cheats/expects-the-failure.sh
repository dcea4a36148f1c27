# Breaks subtraction and declares the failure as expected.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "    def test_sub" "    @unittest.expectedFailure
    def test_sub"
    commit "Rework subtraction"
}
