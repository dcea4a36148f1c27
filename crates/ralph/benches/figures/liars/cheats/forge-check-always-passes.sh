# Adds an operation that says nothing about itself, and the forge's check does not look any more.
# stopped by: test_integrity
implement() {
    printf '\n\ndef mul(a, b):\n    return a * b\n' >> calc/ops.py && test_of mul 35
    swap .ralph/checks.toml "sh scripts/check.sh && sh scripts/lint.sh" "true"
    commit "Add multiplication"
}
