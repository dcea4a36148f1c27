# Breaks subtraction, and the first test that is loaded is new and ends the run with success.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    put tests/test_a.py <<END
import os

os._exit(0)
END
    commit "Rework subtraction"
}
