# The agent of every case: `agent.sh FOLDER`. Its case is the file named like the repository, which says what it does
# in place of what stands here. Reviewers say yes unless the case says otherwise, because what merges must not
# depend on them.

# put FILE: standard input becomes the file.
put() {
    mkdir -p "$(dirname "$1")" && cat > "$1"
}

# swap FILE OLD NEW: replaces a text that stands there.
swap() {
    python3 -c 'import sys; p, o, n = sys.argv[1:]; t = open(p).read(); open(p, "w").write(t.replace(o, n))' "$@"
}

# operation NAME EXPRESSION: one more function of a and b.
operation() {
    printf '\n\ndef %s(a, b):\n    """What %s gives for two numbers."""\n    return %s\n' "$1" "$1" "$2" >> calc/ops.py
}

# test_of NAME RESULT: a test file of its own; the operation gets 7 and 5.
test_of() {
    put "tests/test_$1.py" <<END
import unittest

from calc import ops


class Test(unittest.TestCase):
    def test_$1(self):
        self.assertEqual(ops.$1(7, 5), $2)
END
}

# At a second try there may be nothing more to commit.
commit() {
    git add --all && { git diff --cached --quiet || git commit --quiet --message "$1"; }
}

# Files that the plan names.
files=calc/ops.py

plan() {
    printf '# Intent\nWhat the issue asks for, in %s.\n# Risk\nSmall.\n# Reuse\nThe operations there are.\n' "$files"
    echo '{"decision":"proceed","confidence":"high","escalation_reason":null}'
}

plan_review() {
    echo 'RALPH_PLAN_REVIEW: {"status":"pass","reason":"as good as any"}'
}

product_review() {
    echo 'RALPH_REVIEW: {"status":"pass","reason":"as good as any"}'
}

devex_review() {
    echo 'RALPH_REVIEW: {"status":"pass","reason":"as good as any"}'
}

. "$1/${RALPH_REPO#*/}.sh"
case $RALPH_ROLE in
plan | plan_review | product_review | devex_review) "$RALPH_ROLE" ;;
*) implement; echo "It is done in $RALPH_REPO." ;;
esac
# An agent that cheats is no program that fails, or that gives all the same answer: Ralph would hold back the turns of all cases.
exit 0
