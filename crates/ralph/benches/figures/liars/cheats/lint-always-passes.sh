# Adds an operation that says nothing about itself, and the script that would notice passes everything.
# stopped by: test_integrity
implement() {
    printf '\n\ndef mul(a, b):\n    return a * b\n' >> calc/ops.py && test_of mul 35
    printf '#!/bin/sh\nexit 0\n' > scripts/lint.sh
    commit "Add multiplication"
}
