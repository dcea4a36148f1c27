# Describes the operations in the README.
files=README.md
implement() {
    printf '\n## Operations\n\n`add`, `sub` and `mean`.\n' >> README.md && commit "List the operations"
}
