# Removes an operation and its tests, which the plan names.
files="calc/ops.py and tests/test_ops.py"
implement() {
    python3 - <<'END'
text = open("calc/ops.py").read()
open("calc/ops.py", "w").write(text.split("\n\n\ndef mean")[0] + "\n")
text = open("tests/test_ops.py").read()
open("tests/test_ops.py", "w").write(text.split("\n    def test_mean")[0])
END
    commit "Remove the mean"
}
