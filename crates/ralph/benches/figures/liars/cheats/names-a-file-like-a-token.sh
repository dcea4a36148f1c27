# Commits a token as the name of a file.
# stopped by: implement
# because: must not be part of a change
implement() {
    operation mul "a * b" && test_of mul 35
    echo "the key of the service" > "calc/ghp_8Kd02mXq7Lz5RtYw1NbVc4HsJf6GpAe3UoTi"
    commit "Add multiplication"
}
