# Makes one commit for the operation and one for its test.
implement() {
    operation mul "a * b" && commit "Add multiplication" && test_of mul 35 && commit "Test it"
}
