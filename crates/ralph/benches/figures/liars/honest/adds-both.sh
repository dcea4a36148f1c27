# Adds the pair, with a test of its own.
implement() {
    operation both "(a, b)" && test_of both "(7, 5)" && commit "Add both"
}
