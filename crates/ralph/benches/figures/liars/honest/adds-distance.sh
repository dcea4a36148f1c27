# Adds the distance, with a test of its own.
implement() {
    operation distance "abs(a - b)" && test_of distance 2 && commit "Add distance"
}
