//! How the default branch's changes come into the bot branch: one pull request at a time, from a branch of its
//! own, so that conflicts can be resolved there and the default branch may move on meanwhile.

use super::Branches;
use crate::ids::{Branch, PullNumber, Sha};
use crate::pull::{Mergeable, Pull};
use crate::stored::is_default;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the names of all branches for this purpose begin with.
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
    /// A branch was made at this head of the default branch, and its pull request is not open yet.
    pub branch_at: Option<Sha>,
    pub open: Option<SyncPull>,
    /// A person closed the pull request of this head unmerged: it is not offered again.
    pub declined: Option<Sha>,
    /// When the last pull request was opened.
    pub opened_last: Option<Time>,
    /// Branches whose pull requests are merged, to be deleted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub merged_branches: BTreeSet<Branch>,
}

/// Whether a merge of the default branch would bring the bot branch anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    pub default_head: Sha,
    pub bot_head: Sha,
    pub is_behind: bool,
}

impl Compared {
    /// Does it still hold? What the bot branch has, it keeps; what it lacks, somebody may have brought since.
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
    /// The head of the default branch that it brings.
    pub of: Sha,
    /// The last push of the conflict lane. From then on its head is what Ralph merges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Resolved>,
    /// Times in a row that the lane found no conflict where the forge saw one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub looks: u32,
    /// What it was opened against.
    pub base: Branch,
    pub opened: Time,
    /// As last read, with its checks.
    pub seen: Option<Pull>,
    /// The forge's words, if it refuses to show the pull request or its checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// The lane found nothing to do, and what was read before counts no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at: Option<Time>,
    /// Merges that were refused, and why the last one was.
    pub refusals: u32,
    pub last_refusal: Option<String>,
    /// A person was told that it does not go on by itself.
    pub is_told: bool,
}

/// A head with the bot branch in it, pushed under Ralph's own gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    pub head: Sha,
    pub at: Time,
}

impl SyncPull {
    /// The head that Ralph put there, and the only one that it merges.
    #[must_use]
    pub fn own_head(&self) -> &Sha {
        self.resolved.as_ref().map_or(&self.of, |resolved| &resolved.head)
    }

    /// The time from which its checks have theirs.
    #[must_use]
    pub fn put_at(&self) -> Time {
        let put_at = self.resolved.as_ref().map_or(self.opened, |resolved| resolved.at);
        self.looked_at.map_or(put_at, |looked_at| put_at.max(looked_at))
    }

    /// Is it one for the conflict lane? The forge says that it conflicts with the bot branch, as Ralph left it, and the
    /// worktree has not shown this many times that it does not.
    #[must_use]
    pub fn is_for_lane(&self, bot_branch: &Branch, looks_max: u32) -> bool {
        let seen = self.seen.as_ref().filter(|seen| seen.head == *self.own_head());
        let is_dirty =
            seen.is_some_and(|seen| seen.base == *bot_branch && seen.mergeable == Mergeable::Dirty);
        is_dirty && self.looks < looks_max
    }
}

/// Why a sync pull request waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncTrouble {
    Conflict,
    /// Strict protection wants the bot branch merged in first.
    Behind,
    ChecksFailed(Vec<String>),
    /// Nothing was decided within the time for checks.
    Stuck(Vec<String>),
    /// It, its checks or which of them are required could not be read within that time, for this reason.
    Unreadable(String),
    MergeRefused(String),
    /// Somebody pushed to it or changed its base: what it would bring is theirs to judge.
    Changed,
}
