//! The sample project: a calculator in shell, with real tests and a real check.

use crate::process;
use std::fs;
use std::io;
use std::path::Path;

/// Path and content of every file.
const FILES: [(&str, &str); 9] = [
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

/// The check that Ralph runs before it opens a pull request.
pub const PREFLIGHT: &str = "sh tests/run.sh";

/// The check that the forge runs on every pull request.
pub const CHECK: &str = "CI";

/// Writes the project into a folder.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    for (path, content) in FILES {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, content)?;
    }
    Ok(())
}

/// Makes the folder a repository and pushes it as `branch`.
pub(super) fn push(folder: &Path, url: &str, branch: &str) -> io::Result<()> {
    let name = ["-c", "user.name=You", "-c", "user.email=you@localhost"];
    let commit = [name.as_slice(), &["commit", "--quiet", "--message", "A calculator"]].concat();
    let push = ["push", "--quiet", url, &format!("HEAD:refs/heads/{branch}")];
    let steps = [["init", "--quiet"].as_slice(), &["add", "--all"], &commit, &push];
    steps.into_iter().try_for_each(|words| process::git(folder, words))
}
