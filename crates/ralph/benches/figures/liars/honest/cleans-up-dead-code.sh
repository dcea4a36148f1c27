# Removes what nothing uses.
files=calc/cli.py
implement() {
    swap calc/cli.py '    """What is printed for these words."""
' '    """What is printed for the words of a line."""
' && commit "Say what the words are"
}
