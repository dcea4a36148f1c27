# Adds the remainder, with a test of its own.
implement() {
    operation mod "a % b" && test_of mod 2 && commit "Add mod"
}
