//! The sample issues: what each asks for, and what the scripted agent does about it. All of them have to end done.

/// One issue of the demo.
#[derive(Debug)]
pub struct Sample {
    pub title: &'static str,
    pub(super) body: &'static str,
    pub(super) priority: &'static str,
    /// Titles of issues that must be resolved before it.
    pub(super) blocked_by: &'static [&'static str],
    /// Titles of its sub-issues.
    pub(super) children: &'static [&'static str],
    /// The agent's files at each try; the last counts for all that follow.
    pub(super) tries: &'static [&'static [Edit]],
    /// The agent's files in a recovery run, which makes a red check green or resolves a conflict.
    pub(super) repair: &'static [Edit],
    /// The time that the agent seems to think before it writes.
    pub(super) thinks_ms: u64,
    /// The lesson of the issue.
    pub(super) shows: &'static str,
}

/// A file as the agent writes it.
#[derive(Debug)]
pub struct Edit {
    pub(super) path: &'static str,
    pub(super) content: &'static str,
}

const fn edit(path: &'static str, content: &'static str) -> Edit {
    Edit { path, content }
}

const PLAIN: Sample = Sample {
    title: "",
    body: "",
    priority: "p2",
    blocked_by: &[],
    children: &[],
    tries: &[],
    repair: &[],
    thinks_ms: 300,
    shows: "",
};

const MULTIPLY: &str = "Multiply two numbers";
/// Two issues change the changelog; their order depends on how busy the machine is.
const BOTH_SIDES: &[Edit] = &[edit(
    "CHANGELOG.md",
    "# Changelog\n\n## Unreleased\n\n- More operations than addition.\n- The licence is MIT or Apache-2.0.\n",
)];

pub const SAMPLES: [Sample; 9] = [
    Sample {
        title: MULTIPLY,
        body: "`calc mul 6 7` should print 42.",
        tries: &[&[
            edit(
                "lib/mul.sh",
                "# Multiplies two numbers.\ncalc_mul() {\n    echo $(($1 * $2))\n}\n",
            ),
            edit("tests/mul.test.sh", ". tests/expect.sh\nexpect 42 \"$(sh bin/calc mul 6 7)\"\n"),
        ]],
        shows: "the plain road",
        ..PLAIN
    },
    Sample {
        title: "Square a number",
        body: "`calc square 7` should print 49. It should use `mul`.",
        blocked_by: &[MULTIPLY],
        tries: &[&[
            edit(
                "lib/square.sh",
                "# Multiplies a number with itself.\n. \"$here/lib/mul.sh\"\ncalc_square() {\n    calc_mul \"$1\" \"$1\"\n}\n",
            ),
            edit(
                "tests/square.test.sh",
                ". tests/expect.sh\nexpect 49 \"$(sh bin/calc square 7)\"\n",
            ),
        ]],
        shows: "waits for the issue it is blocked by",
        ..PLAIN
    },
    Sample {
        title: "Subtract two numbers",
        body: "`calc sub 5 3` should print 2. Needed first.",
        priority: "p0",
        tries: &[&[
            edit(
                "lib/sub.sh",
                "# Subtracts the second number from the first.\ncalc_sub() {\n    echo $(($1 - $2))\n}\n",
            ),
            edit("tests/sub.test.sh", ". tests/expect.sh\nexpect 2 \"$(sh bin/calc sub 5 3)\"\n"),
        ]],
        shows: "the most urgent: goes before all that wait",
        ..PLAIN
    },
    Sample {
        title: "Divide, and refuse to divide by zero",
        body: "`calc div 42 6` should print 7; `calc div 1 0` should fail.",
        tries: &[
            &[
                edit(
                    "lib/div.sh",
                    "# Divides the first number by the second.\ncalc_div() {\n    echo $(($1 * $2))\n}\n",
                ),
                edit(
                    "tests/div.test.sh",
                    ". tests/expect.sh\nexpect 7 \"$(sh bin/calc div 42 6)\"\nexpect no \"$(sh bin/calc div 1 0 2>&1 || echo no)\"\n",
                ),
            ],
            &[edit(
                "lib/div.sh",
                "# Divides the first number by the second.\ncalc_div() {\n    [ \"$2\" -ne 0 ] || return 1\n    echo $(($1 / $2))\n}\n",
            )],
        ],
        shows: "the first try fails preflight and is sent back with the output",
        ..PLAIN
    },
    Sample {
        title: "Say in the changelog what is new",
        body: "The changelog says \"Nothing yet.\", which is no longer true.",
        priority: "p1",
        tries: &[&[edit(
            "CHANGELOG.md",
            "# Changelog\n\n## Unreleased\n\n- More operations than addition.\n",
        )]],
        thinks_ms: 2_000,
        repair: BOTH_SIDES,
        shows: "changes the line that the next one changes: whichever is second conflicts",
        ..PLAIN
    },
    Sample {
        title: "Name the licence in the changelog",
        body: "People ask for the licence; say it where releases are described.",
        priority: "p1",
        tries: &[&[edit(
            "CHANGELOG.md",
            "# Changelog\n\n## Unreleased\n\n- The licence is MIT or Apache-2.0.\n",
        )]],
        thinks_ms: 5_000,
        repair: BOTH_SIDES,
        shows: "changes the line that the last one changes: a separate run resolves that",
        ..PLAIN
    },
    Sample {
        title: "Negate a number",
        body: "`calc neg 3` should print -3.",
        tries: &[
            &[
                edit("lib/neg.sh", "calc_neg() {\n    echo $((-$1))\n}\n"),
                edit(
                    "tests/neg.test.sh",
                    ". tests/expect.sh\nexpect -3 \"$(sh bin/calc neg 3)\"\n",
                ),
            ],
            &[edit("lib/neg.sh", "calc_neg() {\n    echo $((0 - $1))\n}\n")],
        ],
        repair: &[edit(
            "lib/neg.sh",
            "# Turns the sign of a number.\ncalc_neg() {\n    echo $((0 - $1))\n}\n",
        )],
        shows: "the forge's check goes red twice; a CI-debug run makes it green",
        ..PLAIN
    },
    Sample {
        title: "Describe every operation in the README",
        body: "Once the parts are written, the README should link to them.",
        priority: "p3",
        children: &["Write a page about the operations"],
        tries: &[&[edit(
            "README.md",
            "# calc\n\nA calculator for the shell. What it can do: [operations](docs/operations.md).\n",
        )]],
        shows: "a parent: waits until its sub-issue is closed",
        ..PLAIN
    },
    Sample {
        title: "Write a page about the operations",
        body: "One line for each operation is enough.",
        tries: &[&[edit(
            "docs/operations.md",
            "# Operations\n\nadd, sub, mul, div and square: `bin/calc NAME NUMBERS`.\n",
        )]],
        shows: "a sub-issue",
        ..PLAIN
    },
];

/// The sample with this title.
pub(super) fn sample(title: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.title == title)
}
