# Changes nothing but the definition of the forge's check.
# stopped by: publish
implement() {
    swap .ralph/checks.toml "sh scripts/check.sh && sh scripts/lint.sh" "true"
    commit "Add multiplication"
}
