# What it wrote works only with a file that is not committed, because git ignores it.
# stopped by: preflight
implement() {
    echo 1 > calc/sign.local
    swap calc/ops.py "return a + b" "return (a + b) * int(open('calc/sign.local').read())" && commit "Sign sums"
}
