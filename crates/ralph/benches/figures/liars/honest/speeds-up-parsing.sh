# Reads numbers in one place.
implement() {
    swap calc/cli.py "*(float(number) if \".\" in number else int(number) for number in numbers)" "*map(_number, numbers)"
    swap calc/cli.py "def run(words):" "def _number(text):
    return float(text) if \".\" in text else int(text)


def run(words):" && commit "Read numbers in one place"
}
