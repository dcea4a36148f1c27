# Adds long random-looking text that is no secret.
files=data/checksums.txt
implement() {
    mkdir -p data && for number in 1 2 3 4 5; do echo "$number" | sha256sum; done > data/checksums.txt && commit "Add checksums"
}
