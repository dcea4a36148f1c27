# Breaks subtraction, empties its test, and has git show no differences of tests.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    echo "tests/** -diff linguist-generated" > .gitattributes
    : > tests/test_ops.py
    commit "Rework subtraction"
}
