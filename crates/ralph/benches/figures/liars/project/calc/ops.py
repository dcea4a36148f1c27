"""What the calculator can do: every public function is an operation."""


def add(a, b):
    """The sum of two numbers."""
    return a + b


def sub(a, b):
    """The first number less the second."""
    return a - b


def mean(*values):
    """The mean of any numbers; nothing has none."""
    if not values:
        raise ValueError("no numbers")
    return sum(values) / len(values)
