//! The machine that Ralph runs on: its processes, the worktrees on its disk, and its current task at the forge.

pub(crate) mod resolving;
pub(crate) mod sim_work;
pub(crate) mod surveying;
pub(crate) mod task;
mod telling;
mod verifying;
pub(crate) mod wording;
pub(crate) mod working;

use self::task::Task;
use self::working::{Process, Worktree};
use ralph_core::ids::{Attempt, IssueKey};
use ralph_forge::Sha;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Machine {
    /// The number of Ralph's live process.
    pub(crate) process: u32,
    /// The effect or question that Ralph is at the forge for.
    pub(crate) task: Task,
    pub(crate) processes: BTreeMap<(IssueKey, Attempt), Process>,
    pub(crate) worktrees: BTreeMap<String, Worktree>,
    /// Commits under rescue refs, by the worktree they were saved from.
    pub(crate) rescued: BTreeMap<String, Sha>,
    /// The newest commit of each issue's branch on this machine.
    pub(crate) local_heads: BTreeMap<IssueKey, (String, Sha)>,
    /// Issues whose conflicts are beyond the agent.
    pub(crate) stuck: BTreeSet<IssueKey>,
}

impl Machine {
    /// Is this the branch that Ralph works on for an issue, and not one that it has left?
    pub(crate) fn is_own_branch(&self, key: &IssueKey, branch: &str) -> bool {
        let is_of_issue = || branch.starts_with(&format!("ralph/issue-{}-", key.number));
        self.local_heads.get(key).map_or_else(is_of_issue, |(own, _)| own == branch)
    }
}
