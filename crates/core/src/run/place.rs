//! The worktree of a run, and the relation of its branch to the base.

use super::{Run, Surveyed};
use crate::guidance::Guidance;
use crate::ids::{Branch, IssueKey, PullNumber, Sha};
use crate::managed_path::ManagedPath;
use crate::recipe::Recipe;
use crate::repo::SyncPull;
use crate::steps::Step;
use crate::time::Time;
use crate::words;
use serde::{Deserialize, Serialize};

/// The worktree of a run and its base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    pub path: ManagedPath,
    /// The commit of the bot branch that the run's branch was last brought up to.
    pub base: Sha,
    /// The number of known moves of the bot branch at that time.
    #[serde(default)]
    pub bot_moves: u64,
    /// The files of that commit that speak to agents.
    #[serde(default, skip_serializing_if = "Guidance::is_empty")]
    pub guidance: Guidance,
}

/// A conflict between a branch and its base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub base: Sha,
    pub head: Sha,
    pub files: Vec<String>,
}

/// An update of a pull request's branch from its base, made by the forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchUpdate {
    /// The head that was behind. Any other head is the result of the update.
    pub from: Sha,
    /// The forge has accepted the request.
    pub is_accepted: bool,
    /// The time of the request, then of its acceptance.
    pub at: Time,
}

/// The number of times that the worktree merged one base without the conflict that the forge reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    pub base: Sha,
    pub times: u32,
}

impl Run {
    /// Records that the worktree or the mirror is gone from this machine. The workspace is made again from its remains
    /// and the forge; each time counts as a try.
    pub(crate) fn lose_workspace(&mut self, step: Step, reason: &str) {
        self.workspace = None;
        self.lost_in = self.head.is_none().then_some(step);
        self.conflict = None;
        self.is_set_up = false;
        self.fail(Step::Workspace, reason.to_owned());
    }

    /// Turns it into a run that merges the bot branch into the branch of a sync pull request.
    #[must_use]
    pub(crate) fn of_sync(self, branch: &Branch, key: &IssueKey, open: Option<&SyncPull>) -> Self {
        Self {
            recipe: Recipe::Sync,
            branch: branch.clone(),
            pull: Some(PullNumber(key.number)),
            is_pull_inherited: false,
            pushed: open.map(|open| open.own_head().clone()),
            survey: Some(Surveyed::not(words::OF_A_SYNC)),
            ..self
        }
    }

    /// Returns the number of merges of the present base that found no conflict.
    #[must_use]
    pub fn looks_at_base(&self) -> u32 {
        let base = self.workspace.as_ref().map(|workspace| &workspace.base);
        let looked = self.looked.as_ref().filter(|looked| Some(&looked.base) == base);
        looked.map_or(0, |looked| looked.times)
    }

    /// Has the worktree merge the base again, because the forge reports a conflict.
    pub(crate) fn look_at_base(&mut self) {
        let times = self.looks_at_base().saturating_add(1);
        let base = self.workspace.as_ref().map(|workspace| workspace.base.clone());
        self.looked = base.map(|base| Looked { base, times });
        self.is_outdated = true;
    }
}
