# Adds an operation and a line to the changelog.
implement() {
    operation mul "a * b" && test_of mul 35 && echo "- Multiplication." >> CHANGELOG.md && commit "Add multiplication"
}
