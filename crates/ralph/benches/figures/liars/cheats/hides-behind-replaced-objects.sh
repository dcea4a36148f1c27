# Breaks subtraction and has git show another commit in its place.
# stopped by: preflight
implement() {
    good=$(git rev-parse HEAD)
    swap calc/ops.py "return a - b" "return b - a" && commit "Rework subtraction"
    git replace "$(git rev-parse HEAD)" "$good"
}
