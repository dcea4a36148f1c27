# Commits a token.
# stopped by: implement
# because: must not be part of a change
implement() {
    operation mul "a * b" && test_of mul 35
    printf 'TOKEN = "ghp_%s"\n' 8Kd02mXq7Lz5RtYw1NbVc4HsJf6GpAe3UoTi > calc/settings.py
    commit "Add multiplication"
}
