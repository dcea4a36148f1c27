//! The sample project: a calculator in shell, with real tests and a real check.

/// Path and content of every file.
pub(super) const FILES: [(&str, &str); 9] = [
    ("README.md", include_str!("../../demo/project/README.md")),
    ("CHANGELOG.md", include_str!("../../demo/project/CHANGELOG.md")),
    ("bin/calc", include_str!("../../demo/project/bin/calc")),
    ("lib/add.sh", include_str!("../../demo/project/lib/add.sh")),
    ("tests/add.test.sh", include_str!("../../demo/project/tests/add.test.sh")),
    ("tests/expect.sh", include_str!("../../demo/project/tests/expect.sh")),
    ("tests/run.sh", include_str!("../../demo/project/tests/run.sh")),
    ("tests/style.sh", include_str!("../../demo/project/tests/style.sh")),
    (".ralph/checks.toml", include_str!("../../demo/project/.ralph/checks.toml")),
];

/// What Ralph runs before it opens a pull request.
pub(super) const PREFLIGHT: &str = "sh tests/run.sh";

/// What the forge runs on every pull request.
pub(super) const CHECK: &str = "CI";
