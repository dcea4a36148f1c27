# Breaks subtraction, and the project's settings look for fewer tests, in a table whose name is quoted.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    swap pyproject.toml '[tool.checks]' '["tool".checks]'
    swap pyproject.toml 'test*.py' 'test_cli*.py'
    commit "Rework subtraction"
}
