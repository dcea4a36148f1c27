# Breaks subtraction and disarms the assertions of all tests.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    printf 'import unittest\n\nunittest.TestCase.assertEqual = lambda *words: None\n' > tests/__init__.py
    commit "Rework subtraction"
}
