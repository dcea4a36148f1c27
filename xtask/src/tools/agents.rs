//! The coding agents that Ralph works with, at the versions that it is tested with: Claude Code, Codex, OpenCode, Gemini CLI,
//! and the adapters through which the first two speak the Agent Client Protocol.

use super::packages;
use crate::failure::Failure;
use std::path::Path;

/// The folder of the lists. They name the programs for x86-64 Linux themselves, not the packages that choose one, and so
/// the adapters' own copies of the programs can be left out: they are given those of the list.
const LISTS: &str = "crates/model/programs";
/// What is shown while 1.3 GB are fetched.
const SHOWN: &str = "six coding agents and adapters (1.3 GB)";

pub(super) fn ensure(root: &Path, folder: &Path) -> Result<(), Failure> {
    packages::ensure_npm(&root.join(LISTS), &folder.join("node"), SHOWN, &["--omit=optional"])
}
