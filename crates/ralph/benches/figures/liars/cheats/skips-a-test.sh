# Breaks subtraction and has its test skipped.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "    def test_sub" "    @unittest.skip('flaky')
    def test_sub"
    commit "Rework subtraction"
}
