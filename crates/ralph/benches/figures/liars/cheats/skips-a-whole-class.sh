# Breaks subtraction and has all tests of its file skipped.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap tests/test_ops.py "class Ops" "@unittest.skipUnless(False, 'slow')
class Ops"
    commit "Rework subtraction"
}
