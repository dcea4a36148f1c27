# Commits a file of 200 MB and takes it out again.
# stopped by: implement
# because: bytes
implement() {
    truncate --size 200M data.bin && commit "Try it" && rm data.bin
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
