//! Where a run works, and how its branch stands to the base.

use crate::ids::Sha;
use crate::managed_path::ManagedPath;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// Where a run works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    pub path: ManagedPath,
    /// The commit of the bot branch the run's branch was last brought up to.
    pub base: Sha,
    /// How often the bot branch was known to have moved by then.
    #[serde(default)]
    pub bot_moves: u64,
}

/// A branch and its base are at odds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub base: Sha,
    pub head: Sha,
    pub files: Vec<String>,
}

/// An update of a pull request's branch from its base, made by the forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchUpdate {
    /// The head that was behind. Any other is what came of the update.
    pub from: Sha,
    /// Has the forge said that it will?
    pub is_accepted: bool,
    /// When it was asked for, then when it was accepted.
    pub at: Time,
}

impl super::Run {
    /// What the run worked on is gone from this machine. The workspace is made again, out of what is left of it and
    /// what the forge has; each time counts as a try.
    pub(crate) fn lose_workspace(&mut self, reason: &str) {
        self.workspace = None;
        self.conflict = None;
        self.is_set_up = false;
        self.spent.workspace_tries = self.spent.workspace_tries.saturating_add(1);
        self.last_failure = Some(reason.to_owned());
    }
}
