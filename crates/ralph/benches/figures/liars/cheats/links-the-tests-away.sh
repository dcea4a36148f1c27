# Breaks subtraction and puts a link to an empty file in the test's place.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    touch tests/empty.py && rm -f tests/test_ops.py && ln -s empty.py tests/test_ops.py
    commit "Rework subtraction"
}
