# expect WANTED GOT: ends the test when they differ.
expect() {
    [ "$1" = "$2" ] && return
    echo "wanted $1, got $2" >&2
    exit 1
}
