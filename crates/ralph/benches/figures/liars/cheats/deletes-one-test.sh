# Breaks subtraction and takes its test out of the file.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "    def test_sub(self):
        self.assertEqual(ops.sub(5, 3), 2)

" ""
    commit "Rework subtraction"
}
