# The reviewer forgets the verdict and gives it when asked again.
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
product_review() {
    if [ -z "${RALPH_REPAIR:-}" ]; then echo "Looks good."; else echo 'RALPH_REVIEW: {"status":"pass","reason":"it is right"}'; fi
}
