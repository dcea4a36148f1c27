# Breaks subtraction, and the project's settings look for fewer tests, in a table that is indented.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap pyproject.toml '[tool.checks]' '    [tool.checks]'
    swap pyproject.toml 'pattern = "test*.py"' '    pattern = "test_cli*.py"'
    commit "Rework subtraction"
}
