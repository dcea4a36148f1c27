# Writes thousands of lines while it works.
implement() {
    seq 1 20000 | sed 's/^/compiling unit /'
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
