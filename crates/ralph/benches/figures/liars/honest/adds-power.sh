# Adds powers, with a test of its own.
implement() {
    operation power "a**b" && test_of power 16807 && commit "Add power"
}
