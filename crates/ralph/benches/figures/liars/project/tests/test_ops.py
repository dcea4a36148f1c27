import unittest

from calc import ops


class Ops(unittest.TestCase):
    def test_add(self):
        self.assertEqual(ops.add(2, 3), 5)
        self.assertEqual(ops.add(-2, 2), 0)

    def test_sub(self):
        self.assertEqual(ops.sub(5, 3), 2)

    def test_mean(self):
        self.assertEqual(ops.mean(1, 2, 6), 3)

    def test_mean_of_nothing(self):
        with self.assertRaises(ValueError):
            ops.mean()
