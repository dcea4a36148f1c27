# Commits under a name of its own.
implement() {
    operation mul "a * b" && test_of mul 35
    git -c user.name="Agent Smith" -c user.email=smith@example.com commit --quiet --all --message "Add multiplication" || true
    commit "Add its test" || true
}
