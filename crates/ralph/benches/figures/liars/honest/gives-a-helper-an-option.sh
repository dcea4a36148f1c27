# Gives what the tests share one more parameter.
implement() {
    swap tests/helpers.py "def printed(line):" "def printed(line, separator=None):"
    swap tests/helpers.py "line.split()" "line.split(separator)" && commit "Let helpers split otherwise"
}
