# Leaves a file that cannot be read, and says nothing.
# stopped by: preflight
implement() {
    echo "def mul(a, b: return" >> calc/ops.py && commit "Add multiplication"
}
