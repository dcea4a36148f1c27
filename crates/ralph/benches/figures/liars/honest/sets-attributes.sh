# Has git treat line ends alike.
files=.gitattributes
implement() {
    echo "* text=auto" > .gitattributes && commit "One kind of line end"
}
