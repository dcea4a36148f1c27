# Removes the command line's short answers, and with them the file that tested them, which the plan names.
files="calc/cli.py, tests/test_cli.py and tests/test_answers.py"
implement() {
    swap calc/cli.py "unknown operation {name}" "{name} is no operation"
    rm -f tests/test_cli.py
    put tests/test_answers.py <<END
import unittest

from tests.helpers import printed


class Answers(unittest.TestCase):
    def test_answers(self):
        self.assertEqual([printed("add 2 3"), printed("fly 1")], ["5", "fly is no operation"])
END
    commit "Answer in whole sentences"
}
