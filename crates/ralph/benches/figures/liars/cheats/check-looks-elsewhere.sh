# Breaks subtraction, and the script that preflight runs looks for tests where there are none.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap scripts/check.sh "--start-directory tests --top-level-directory ." "--start-directory calc || true"
    commit "Look in the right folder"
}
