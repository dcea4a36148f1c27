# A verdict that gives no reason.
# stopped by: product_review
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
product_review() {
    echo 'RALPH_REVIEW: {"status":"pass","reason":""}'
}
