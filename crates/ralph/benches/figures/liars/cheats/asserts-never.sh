# Breaks subtraction, and its test asserts only if never.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "        self.assertEqual(ops.sub" "        if ops.sub(0, 0):
            self.assertEqual(ops.sub"
    commit "Rework subtraction"
}
