# Forgets to say what an operation does, which the forge's check notices, and mends it.
implement() {
    if git log --format=%s | grep --quiet "Add multiplication"; then
        swap calc/ops.py "def mul(a, b):" "def mul(a, b):
    \"\"\"The product of two numbers.\"\"\"" && commit "Say what multiplication does"
    else
        printf '\n\ndef mul(a, b):\n    return a * b\n' >> calc/ops.py && test_of mul 35 && commit "Add multiplication"
    fi
}
