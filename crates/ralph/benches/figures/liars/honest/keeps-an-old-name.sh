# Renames an operation and keeps the old name, so that every test stays as it is.
implement() {
    swap calc/ops.py "def mean(" "def average(" && printf '\n\nmean = average\n' >> calc/ops.py && commit "Call the mean average"
}
