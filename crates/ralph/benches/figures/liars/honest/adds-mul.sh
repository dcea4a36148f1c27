# Adds multiplication, with a test of its own.
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add mul"
}
