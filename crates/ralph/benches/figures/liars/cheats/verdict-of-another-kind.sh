# The plan's reviewer answers with the verdict of another review.
# stopped by: plan_review
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
plan_review() {
    echo 'RALPH_REVIEW: {"status":"pass","reason":"the wrong one"}'
}
