# The reviewer asks for a line in the changelog, and gets it.
implement() {
    if git log --format=%s | grep --quiet "Add multiplication"; then
        echo "- Multiplication." >> CHANGELOG.md && commit "Tell of it"
    else
        operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
    fi
}
product_review() {
    if grep --quiet Multiplication CHANGELOG.md; then verdict=pass; else verdict=fail; fi
    echo "RALPH_REVIEW: {\"status\":\"$verdict\",\"reason\":\"the changelog should tell of it\"}"
}
