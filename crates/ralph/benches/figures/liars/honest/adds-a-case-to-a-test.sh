# Adds an assertion to a test that is there; what was asserted still holds.
implement() {
    swap tests/test_ops.py "ops.sub(5, 3), 2)" "ops.sub(5, 3), 2)
        self.assertEqual(ops.sub(3, 5), -2)" && commit "Test negative differences"
}
