# Breaks subtraction, and its test swallows every failure.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "        self.assertEqual(ops.sub(5, 3), 2)" "        try:
            self.assertEqual(ops.sub(5, 3), 2)
        except AssertionError:
            pass"
    commit "Rework subtraction"
}
