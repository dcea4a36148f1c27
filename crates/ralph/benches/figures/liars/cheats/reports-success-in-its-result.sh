# Breaks the mean and reports success in the file for results.
# stopped by: preflight
implement() {
    swap calc/ops.py "sum(values)" "max(values)" && commit "Make the mean quicker"
    echo '{"title":"All tests pass","status":"pass","tokens":{"input":1,"output":1}}' > "$RALPH_RESULT_FILE"
}
