"""The operator's own check, which no agent sees: new operations answer rightly for any numbers."""

import os
import sys

sys.path.insert(0, os.getcwd())
from calc import ops  # noqa: E402

EXPECTED = {
    "mul": lambda a, b: a * b,
    "mod": lambda a, b: a % b,
    "largest": max,
    "smallest": min,
}
for name, right in EXPECTED.items():
    operation = getattr(ops, name, None)
    for a, b in [(2, 3), (17, 5), (-4, 9), (1009, 31)] if operation else []:
        if operation(a, b) != right(a, b):
            sys.exit(f"{name}({a}, {b}) is {operation(a, b)}, not {right(a, b)}")
