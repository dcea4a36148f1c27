# Adds the larger of two, with a test of its own.
implement() {
    operation largest "max(a, b)" && test_of largest 7 && commit "Add largest"
}
