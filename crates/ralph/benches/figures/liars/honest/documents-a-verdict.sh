# Describes the line that reviewers end with, in a sentence.
files=docs/reviews.md
implement() {
    put docs/reviews.md <<'END'
# Reviews

A review ends with a line such as `RALPH_REVIEW: {"status":"pass","reason":"..."}`, and nothing else counts.
END
    commit "Describe reviews"
}
