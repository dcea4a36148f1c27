# Adds the smaller of two, with a test of its own.
implement() {
    operation smallest "min(a, b)" && test_of smallest 5 && commit "Add smallest"
}
