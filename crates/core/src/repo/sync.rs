//! The sync of the default branch into the bot branch: one pull request at a time, from a separate branch, so that
//! conflicts can be resolved there while the default branch moves on.

use super::Branches;
use crate::ids::{Branch, PullNumber, Sha};
use crate::pull::{Mergeable, Pull};
use crate::stored::is_default;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The prefix of all sync branches.
const BRANCHES: &str = "ralph/sync-";

/// The branch for a head of the default branch.
#[must_use]
pub fn sync_branch(of: &Sha) -> Branch {
    Branch::new(&format!("{BRANCHES}{}", of.short()))
}

#[must_use]
pub fn is_sync_branch(branch: &Branch) -> bool {
    branch.as_str().starts_with(BRANCHES)
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sync {
    pub compared: Option<Compared>,
    /// The head of the default branch at which a branch was made whose pull request is not open yet.
    pub branch_at: Option<Sha>,
    pub open: Option<SyncPull>,
    /// The head whose pull request a person closed unmerged: it is not offered again.
    pub declined: Option<Sha>,
    /// The time when the last pull request was opened.
    pub opened_last: Option<Time>,
    /// Branches whose pull requests are merged, to be deleted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub merged_branches: BTreeSet<Branch>,
}

/// The result of comparing the default branch with the bot branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    pub default_head: Sha,
    pub bot_head: Sha,
    pub is_behind: bool,
}

impl Compared {
    /// True if it still holds. The bot branch keeps what it has, but another account may have merged what it lacks.
    #[must_use]
    pub fn holds_for(&self, branches: &Branches) -> bool {
        let is_same_bot = branches.bot_head.as_ref() == Some(&self.bot_head);
        self.default_head == branches.default_head && (!self.is_behind || is_same_bot)
    }
}

/// The open sync pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncPull {
    pub number: PullNumber,
    /// The head of the default branch that it merges.
    pub of: Sha,
    /// The last push of the conflict lane. From then on Ralph merges only that head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
    /// Times in a row that the lane found no conflict where the forge reported one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub looks: u32,
    /// The branch it was opened against.
    pub base: Branch,
    pub opened: Time,
    /// As last read, with its checks.
    pub seen: Option<Pull>,
    /// The forge's error, if it refuses to show the pull request or its checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// The time when the lane found nothing to do; earlier reads no longer count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<Time>,
    /// The number of refused merges; `last_refusal` is the reason of the last one.
    pub refusals: u32,
    pub last_refusal: Option<String>,
    /// A comment told people that it does not proceed by itself.
    pub is_told: bool,
}

/// A head that contains the bot branch, pushed under Ralph's own gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    pub head: Sha,
    pub at: Time,
}

impl SyncPull {
    /// The head that Ralph pushed, the only one that it merges.
    #[must_use]
    pub fn own_head(&self) -> &Sha {
        self.resolved.as_ref().map_or(&self.of, |resolved| &resolved.head)
    }

    /// The start of the time limit for its checks.
    #[must_use]
    pub fn put_at(&self) -> Time {
        let put_at = self.resolved.as_ref().map_or(self.opened, |resolved| resolved.at);
        self.looked_at.map_or(put_at, |looked_at| put_at.max(looked_at))
    }

    /// True if the conflict lane should take it: the forge reports a conflict with the bot branch on the head that
    /// Ralph pushed, and the worktree has merged it without one fewer than `looks_max` times.
    #[must_use]
    pub fn is_for_lane(&self, bot_branch: &Branch, looks_max: u32) -> bool {
        let seen = self.seen.as_ref().filter(|seen| seen.head == *self.own_head());
        let is_dirty =
            seen.is_some_and(|seen| seen.base == *bot_branch && seen.mergeable == Mergeable::Dirty);
        is_dirty && self.looks < looks_max
    }
}

/// The reason why a sync pull request waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncTrouble {
    Conflict,
    /// Strict protection requires the bot branch to be merged in first.
    Behind,
    ChecksFailed(Vec<String>),
    /// The checks gave no result within their time limit.
    Stuck(Vec<String>),
    /// The pull request, its checks or the list of required ones could not be read within that time, for this reason.
    Unreadable(String),
    MergeRefused(String),
    /// Another account pushed to it or changed its base, and has to judge the result.
    Changed,
}
