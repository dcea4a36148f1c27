# Says that it is done, and has done nothing.
# stopped by: implement
implement() {
    echo "Implemented and tested; all tests pass."
}
