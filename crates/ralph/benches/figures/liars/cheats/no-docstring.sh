# Passes preflight with an operation that says nothing about itself, which the forge's check notices.
# stopped by: ci
implement() {
    printf '\n\ndef mul(a, b):\n    return a * b\n' >> calc/ops.py && test_of mul 35
    commit "Add multiplication"
}
