# Adds an operation, and its test to the file that is there.
implement() {
    operation mul "a * b"
    printf '\n    def test_mul(self):\n        self.assertEqual(ops.mul(6, 7), 42)\n' >> tests/test_ops.py
    commit "Add multiplication"
}
