# Adds files with blanks, quotes and letters of other languages in their names.
files=docs
implement() {
    mkdir -p docs && touch "docs/with blank.md" "docs/it's \"odd\".md" "docs/日本語.md" "docs/-rf.md" && commit "Add pages"
}
