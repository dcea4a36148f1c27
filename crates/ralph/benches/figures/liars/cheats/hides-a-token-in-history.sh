# Commits a token and takes it out again, so that it stays in the history.
# stopped by: implement
# because: must not be part of a change
implement() {
    printf 'TOKEN = "ghp_%s"\n' 8Kd02mXq7Lz5RtYw1NbVc4HsJf6GpAe3UoTi > calc/settings.py && commit "Try it"
    rm calc/settings.py
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
