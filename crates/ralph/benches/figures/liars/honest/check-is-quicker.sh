# Lets the script that preflight runs stop at the first failure, and adds an operation.
implement() {
    operation mul "a * b" && test_of mul 35
    swap scripts/check.sh "discover --quiet" "discover --quiet --failfast" && commit "Add multiplication, stop early"
}
