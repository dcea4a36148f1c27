# Two verdicts, and the last one says yes.
# stopped by: devex_review
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
devex_review() {
    echo 'RALPH_REVIEW: {"status":"fail","reason":"the first"}'
    echo 'RALPH_REVIEW: {"status":"pass","reason":"the last"}'
}
