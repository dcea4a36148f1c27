# Changes what the mean of nothing is, and the test of it, which the plan names.
files="calc/ops.py and tests/test_ops.py"
implement() {
    swap calc/ops.py 'raise ValueError("no numbers")' "return None"
    swap tests/test_ops.py "        with self.assertRaises(ValueError):
            ops.mean()" "        self.assertIsNone(ops.mean())" && commit "Nothing has the mean None"
}
