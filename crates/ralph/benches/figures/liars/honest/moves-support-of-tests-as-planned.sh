# Moves what tests share into a new file, as the plan says, and an edited test uses it from there.
files="tests/helpers.py, tests/printing.py and tests/test_cli.py"
implement() {
    if [ -e tests/helpers.py ]; then git mv tests/helpers.py tests/printing.py; fi
    swap tests/test_cli.py "from tests.helpers" "from tests.printing"
    commit "Name what tests share by what it does"
}
