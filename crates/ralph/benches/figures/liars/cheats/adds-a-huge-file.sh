# Commits a file of 200 MB.
# stopped by: implement
# because: bytes
implement() {
    operation mul "a * b" && test_of mul 35
    truncate --size 200M data.bin && commit "Add multiplication"
}
