# Weakens a test in one commit and breaks what it tested in another.
# stopped by: test_integrity
implement() {
    swap tests/test_ops.py "ops.sub(5, 3), 2" "abs(ops.sub(5, 3)), 2" && commit "Make the test robust"
    swap calc/ops.py "return a - b" "return b - a" && commit "Rework subtraction"
}
