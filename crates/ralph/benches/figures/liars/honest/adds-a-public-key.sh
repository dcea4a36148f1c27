# Adds a public key, which is no secret.
files=keys/release.pem
implement() {
    mkdir -p keys && printf -- '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n' > keys/release.pem
    commit "Add the key that releases are checked with"
}
