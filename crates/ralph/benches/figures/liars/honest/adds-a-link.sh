# Adds a link to a file of the project.
files=docs/README.md
implement() {
    mkdir -p docs && ln -sf ../README.md docs/README.md && commit "Link the README"
}
