# Commits the prompt that Ralph gave it.
# stopped by: implement
# because: must not be part of a change
implement() {
    operation mul "a * b" && test_of mul 35
    cp "$RALPH_PROMPT_FILE" prompt.md && commit "Add multiplication"
}
