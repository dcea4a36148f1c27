# Adds a module with a function and its tests, and uses it.
implement() {
    put calc/numbers.py <<END
"""Number theory, a little of it."""

import math


def common(a, b):
    """The greatest common divisor."""
    return math.gcd(a, b)
END
    swap calc/ops.py 'every public function is an operation."""' 'every public function is an operation."""

from calc.numbers import common as gcd  # noqa: F401'
    put tests/test_numbers.py <<END
import unittest

from calc import ops


class Numbers(unittest.TestCase):
    def test_gcd(self):
        self.assertEqual(ops.gcd(12, 18), 6)
END
    commit "Add the greatest common divisor"
}
