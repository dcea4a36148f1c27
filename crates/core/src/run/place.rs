//! Where a run works, and how its branch stands to the base.

use super::{Run, Surveyed};
use crate::ids::{Branch, IssueKey, PullNumber, Sha};
use crate::managed_path::ManagedPath;
use crate::recipe::Recipe;
use crate::repo::SyncPull;
use crate::steps::Step;
use crate::time::Time;
use crate::words;
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

/// How often the worktree has merged one base without a conflict because the forge saw one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    pub base: Sha,
    pub times: u32,
}

impl Run {
    /// What the run worked on is gone from this machine. The workspace is made again, out of what is left of it and
    /// what the forge has; each time counts as a try.
    pub(crate) fn lose_workspace(&mut self, step: Step, reason: &str) {
        self.workspace = None;
        self.lost_in = self.head.is_none().then_some(step);
        self.conflict = None;
        self.is_set_up = false;
        self.fail(Step::Workspace, reason.to_owned());
    }

    /// As a run that brings the bot branch into the branch of a sync pull request.
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

    /// How often it was looked for a conflict with the base as it is merged now, in vain.
    #[must_use]
    pub fn looks_at_base(&self) -> u32 {
        let base = self.workspace.as_ref().map(|workspace| &workspace.base);
        let looked = self.looked.as_ref().filter(|looked| Some(&looked.base) == base);
        looked.map_or(0, |looked| looked.times)
    }

    /// The forge sees a conflict: the worktree is to merge the base once more.
    pub(crate) fn look_at_base(&mut self) {
        let times = self.looks_at_base().saturating_add(1);
        let base = self.workspace.as_ref().map(|workspace| workspace.base.clone());
        self.looked = base.map(|base| Looked { base, times });
        self.is_outdated = true;
    }
}
