import unittest

from tests.helpers import printed


class Cli(unittest.TestCase):
    def test_an_operation_is_printed(self):
        self.assertEqual(printed("add 2 3"), "5")

    def test_an_unknown_operation_is_named(self):
        self.assertEqual(printed("fly 1"), "unknown operation fly")
