# Writes a dependency, an entry point and a packager's settings into the file that has the rules of the checks too.
files="calc/ops.py and what the project needs"
implement() {
    swap pyproject.toml 'version = "1.0.0"' 'version = "1.1.0"
dependencies = ["tomli; python_version < \"3.11\""]
scripts = { calc = "calc.cli:run" }'
    printf '\n[tool.uv]\npackage = true\n' >> pyproject.toml
    operation third "a / 3" && test_of third "7 / 3" && commit "Add a third"
}
