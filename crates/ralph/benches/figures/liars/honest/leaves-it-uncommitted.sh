# Leaves its work uncommitted.
implement() {
    operation mul "a * b" && test_of mul 35
}
