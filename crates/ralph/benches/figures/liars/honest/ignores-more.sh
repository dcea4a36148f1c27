# Has git ignore one more kind of file.
files=.gitignore
implement() {
    echo "*.log" >> .gitignore && commit "Ignore logs"
}
