# Leaves its work on a branch that nobody asked for, and its own as it was.
# stopped by: implement
implement() {
    git checkout --quiet -B elsewhere && operation mul "a * b" && commit "Add multiplication"
    git checkout --quiet "$RALPH_BRANCH"
}
