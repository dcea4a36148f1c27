# Makes a part clearer; what it does stays the same.
implement() {
    swap calc/ops.py "    return sum(values) / len(values)" "    total, count = sum(values), len(values)
    return total / count" && commit "Name total and count"
}
