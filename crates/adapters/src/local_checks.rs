//! The checks that a repository defines for the embedded forge, which can be run anywhere.

use crate::git::GitError;
use crate::git_workspaces::Mirror;
use ralph_core::ids::Sha;
use serde::Deserialize;

/// The path of the definitions in a repository.
const PATH: &str = ".ralph/checks.toml";

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    check: Vec<Check>,
}

#[derive(Deserialize)]
struct Check {
    run: String,
}

/// The commands of these checks as a commit has them. None if it has no such file; if the file cannot be read as one,
/// none either: the forge says so itself.
pub(crate) fn of(mirror: Mirror<'_>, commit: &Sha) -> Result<Vec<String>, GitError> {
    let listed = mirror.call(&["ls-tree", "-z", commit.as_str(), "--", PATH]).quick()?;
    let Some(file) = listed.strip_prefix("100").and_then(|entry| entry.split([' ', '\t']).nth(2))
    else {
        return Ok(Vec::new());
    };
    let text = mirror.call(&["cat-file", "blob", file]).quick()?;
    let checks = toml::from_str(&text).map(|file: File| file.check).unwrap_or_default();
    Ok(checks.into_iter().map(|check| check.run).collect())
}
