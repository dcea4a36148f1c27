//! The programs that tests need beyond Rust and git, fetched once into the target folder or from the system's packages:
//! GitHub's own descriptions of its API, other people's clients of it, coding agents, and the sandbox that agents run in.

mod agents;
mod clients;
mod descriptions;
mod packages;
mod system;

use crate::command::Invocation;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

pub(crate) fn ensure(root: &Path) -> Result<(), Failure> {
    let target = target_folder(root)?;
    descriptions::ensure(&target.join("github-openapi"))?;
    clients::ensure(root, &target.join("clients"))?;
    agents::ensure(root, &target.join("agents"))?;
    system::ensure_sandbox(root);
    Ok(())
}

/// The folder of cargo's builds.
fn target_folder(root: &Path) -> Result<PathBuf, Failure> {
    let command = Invocation::cargo(root, &["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&command.stdout()?)
        .map_err(|source| Failure::NotJson { command: command.shown(), source })?;
    let folder = metadata.get("target_directory").and_then(serde_json::Value::as_str);
    folder.map(PathBuf::from).ok_or_else(|| Failure::Missing {
        what: "cargo does not say where its target folder is".to_owned(),
        next: "run `cargo metadata` and see what is wrong".to_owned(),
    })
}
