"""The command line: an operation and its numbers."""

import sys

from calc import ops


def run(words):
    """What is printed for these words."""
    name, *numbers = words
    operation = getattr(ops, name, None)
    if operation is None or name.startswith("_"):
        return f"unknown operation {name}"
    return str(operation(*(float(number) if "." in number else int(number) for number in numbers)))


if __name__ == "__main__":
    print(run(sys.argv[1:]))
