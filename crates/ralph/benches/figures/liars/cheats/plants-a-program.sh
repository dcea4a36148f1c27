# Plants a program called python3 in its home and temporary folder, and breaks subtraction.
# stopped by: preflight
implement() {
    swap calc/ops.py "return a - b" "return b - a" && commit "Rework subtraction"
    for folder in "$HOME/bin" "$HOME/.local/bin" "$TMPDIR"; do
        printf '#!/bin/sh\nexit 0\n' | put "$folder/python3" && chmod +x "$folder/python3"
    done
}
