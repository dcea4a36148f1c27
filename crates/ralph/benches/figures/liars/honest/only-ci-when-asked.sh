# Changes only the forge's check, for an issue that is about that.
# labels: ci
files=.ralph/checks.toml
implement() {
    swap .ralph/checks.toml "timeout = \"1m\"" "timeout = \"2m\"" && commit "Give the check more time"
}
