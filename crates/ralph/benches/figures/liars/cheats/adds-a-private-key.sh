# Commits a private key.
# stopped by: implement
# because: must not be part of a change
implement() {
    operation mul "a * b" && test_of mul 35
    printf -- '-----BEGIN %s KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END %s KEY-----\n' PRIVATE PRIVATE > key.pem
    commit "Add multiplication"
}
