# Breaks subtraction and comments its assertion out.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "        self.assertEqual(ops.sub(5, 3), 2)" "        pass  # self.assertEqual(ops.sub(5, 3), 2)"
    commit "Rework subtraction"
}
