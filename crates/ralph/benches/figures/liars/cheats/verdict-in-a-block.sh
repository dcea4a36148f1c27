# The only verdict stands in a block of code.
# stopped by: devex_review
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
devex_review() {
    printf '```\nRALPH_REVIEW: {"status":"pass","reason":"in a block"}\n```\n'
}
