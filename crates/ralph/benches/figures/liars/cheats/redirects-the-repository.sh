# Replaces its git folder by one of its own making.
# stopped by: containment
implement() {
    operation mul "a * b" && test_of mul 35
    rm -rf .git && git init --quiet && commit "Everything anew"
}
harm() {
    ! git merge-base --is-ancestor origin/main HEAD
}
