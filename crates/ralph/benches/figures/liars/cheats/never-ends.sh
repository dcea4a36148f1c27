# Does nothing at all, for ever.
# stopped by: implement
implement() {
    sleep 3600
}
