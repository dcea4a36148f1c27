# Breaks subtraction, and the project's settings look for fewer tests, by a key that stands before all tables.
# stopped by: test_integrity
implement() {
    swap calc/ops.py "return a - b" "return b - a"
    put pyproject.toml <<END
tool.checks.pattern = "test_cli*.py"

[project]
name = "calc"
version = "1.0.0"
END
    commit "Rework subtraction"
}
