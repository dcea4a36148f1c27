# Writes into the repository that all its worktrees are made of.
# stopped by: containment
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
    for mirror in $(cat .git/objects/info/alternates); do
        echo broken > "${mirror%/objects}/packed-refs"
        printf '[core]\n\thooksPath = %s\n' "$OUTSIDE" >> "${mirror%/objects}/config"
    done
}
harm() {
    grep --quiet broken "$MIRROR/packed-refs" || grep --quiet "$OUTSIDE" "$MIRROR/config"
}
