# Lets the forge's check say more, and mends what it would say.
files=".ralph/checks.toml and calc/cli.py"
implement() {
    swap .ralph/checks.toml "sh scripts/lint.sh" "sh scripts/lint.sh && python3 -B -m compileall -q calc"
    swap calc/cli.py "an operation and its numbers." "an operation, then its numbers." && commit "Check more"
}
