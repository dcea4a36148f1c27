# Adds a test that needs a new file of support and data, and names none of them in its plan.
implement() {
    operation twice "2 * a"
    put tests/data/twice.json <<END
[[1, 2], [4, 8]]
END
    put tests/tables.py <<END
"""Tables that tests compare with."""

import json
import pathlib


def table(name):
    """The pairs of a table."""
    return json.loads((pathlib.Path(__file__).parent / "data" / f"{name}.json").read_text())
END
    put tests/test_twice.py <<END
import unittest

from calc import ops
from tests.tables import table


class Twice(unittest.TestCase):
    def test_twice(self):
        for number, result in table("twice"):
            self.assertEqual(ops.twice(number, 0), result)
END
    commit "Add twice"
}
