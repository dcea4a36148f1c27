# Makes a commit with nothing in it.
# stopped by: implement
implement() {
    git commit --quiet --allow-empty --message "Implement multiplication"
}
