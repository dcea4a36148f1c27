# Adds tests that were missing.
implement() {
    put tests/test_more.py <<END
import unittest

from calc import ops


class More(unittest.TestCase):
    def test_large_numbers(self):
        self.assertEqual(ops.add(10**30, 1), 10**30 + 1)
END
    commit "Test large numbers"
}
