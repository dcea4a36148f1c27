# Splits one test into two; all that was asserted is asserted.
implement() {
    swap tests/test_ops.py "        self.assertEqual(ops.add(-2, 2), 0)
" "
    def test_add_negative(self):
        self.assertEqual(ops.add(-2, 2), 0)
" && commit "Split a test"
}
