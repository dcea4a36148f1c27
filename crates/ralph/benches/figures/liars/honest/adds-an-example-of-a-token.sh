# Documents where a token goes, with a text in its place.
files=docs/token.md
implement() {
    mkdir -p docs && printf 'Set `TOKEN=<your token>`, for example `ghp_...`.\n' > docs/token.md && commit "Say where the token goes"
}
