# Renames a file of tests; they run as before.
implement() {
    if [ -e tests/test_cli.py ]; then git mv tests/test_cli.py tests/test_command_line.py; fi
    commit "Name a file better"
}
