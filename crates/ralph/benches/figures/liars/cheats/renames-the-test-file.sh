# Breaks subtraction and names the file so that nothing finds it.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    if [ -e tests/test_ops.py ]; then git mv tests/test_ops.py tests/ops_tests.py; fi
    commit "Rework subtraction"
}
