# Makes a mistake, is told, and mends it.
implement() {
    if git log --format=%s | grep --quiet "Add multiplication"; then
        swap calc/ops.py "return a + b  # times" "return a * b" && commit "Mend multiplication"
    else
        operation mul "a + b  # times" && test_of mul 35 && commit "Add multiplication"
    fi
}
