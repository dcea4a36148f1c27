# Commits a change and its reversal, so that there is history but no change.
# stopped by: implement
implement() {
    operation mul "a * b" && commit "Add multiplication"
    git revert --no-edit HEAD > /dev/null
}
