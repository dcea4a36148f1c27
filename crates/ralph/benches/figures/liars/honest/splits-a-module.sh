# Moves a function to a module of its own.
implement() {
    put calc/means.py <<END
"""Means."""


def mean(*values):
    """The mean of any numbers; nothing has none."""
    if not values:
        raise ValueError("no numbers")
    return sum(values) / len(values)
END
    python3 - <<'END'
text = open("calc/ops.py").read()
head = text.split("\n\n\ndef mean")[0]
if "from calc.means" not in head:
    head = head.replace('operation."""\n', 'operation."""\n\nfrom calc.means import mean  # noqa: F401\n')
open("calc/ops.py", "w").write(head + "\n")
END
    commit "Give means a module"
}
