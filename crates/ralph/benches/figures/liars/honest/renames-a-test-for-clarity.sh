# Renames a test; it runs as before.
implement() {
    swap tests/test_ops.py "test_mean_of_nothing" "test_nothing_has_no_mean" && commit "Name a test better"
}
