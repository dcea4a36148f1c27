//! Local checks: the commands of a repository's `.ralph/checks.toml`, run in clean checkouts and reported as check runs.

mod annotations;
pub(crate) mod definition;
mod execution;
pub(crate) mod launch;
mod tail;
mod workers;

use std::path::PathBuf;
use std::sync::Arc;

use definition::Definition;
use ralph_contain::{Launcher, Network};

use crate::git::bare::Bare;
use crate::git::sha::Sha;

pub(crate) use workers::Workers;

/// One check to be run on one commit.
#[derive(Clone, Debug)]
pub(crate) struct CheckJob {
    /// `owner/name`.
    pub(crate) repo: String,
    /// Of the check run that reports it.
    pub(crate) id: u64,
    pub(crate) head: Sha,
    pub(crate) definition: Definition,
    pub(crate) bare: Arc<Bare>,
}

/// The place of checks on this machine.
#[derive(Clone, Debug)]
pub(crate) struct CheckPlaces {
    /// Holds a folder for each check that is running.
    pub(crate) checks: PathBuf,
    /// Folders that no check may see.
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) launcher: Launcher,
    pub(crate) network: Network,
}
