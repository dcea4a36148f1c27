# Breaks subtraction, and the folder of tests loads none.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    printf 'import unittest\n\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n' > tests/__init__.py
    commit "Rework subtraction"
}
