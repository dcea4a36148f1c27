//! Facts about a repository: observations, moves, and results of effects on it.

use crate::digest::Digest;
use crate::ids::{Branch, Login, PullNumber, Sha};
use crate::merge_queue::{Entry, TrialEnd};
use crate::pull::{Pull, Required};
use crate::repo::{Branches, Compared, DesiredEffect, FollowUpId, LabelFault, OwnMark, SeenMark};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An observation of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoObservation {
    Branches(Branches),
    Required(Required),
    /// The list of required checks cannot be read.
    RequiredUnread {
        why: String,
    },
    /// Reported checks by the branch that does not require them, although Ralph should keep them required.
    Unrequired(BTreeMap<Branch, Vec<String>>),
    Labels {
        wrong: BTreeMap<String, LabelFault>,
    },
    Rollup(Pull),
    Compared(Compared),
    /// The open sync pull request, with its checks where they may be read.
    Sync(Pull),
    /// The forge refuses to show the open sync pull request, or its checks.
    SyncUnread {
        number: PullNumber,
        why: String,
    },
    /// The pull request of the trial build under way, with its checks.
    Trial(Pull),
    /// The mark of the Ralph that works here; `None`: there is none.
    Mark(Option<SeenMark>),
    /// A person asks Ralph to take the repository over.
    TakeOver {
        by: Login,
    },
    /// The tree of a commit of the bot branch.
    Tree {
        commit: Sha,
        tree: String,
    },
}

/// A move that `decide` makes about a trial build on its own authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialMove {
    /// Its checks have passed: its entries are merged in the tested order.
    Green,
    Ended(TrialEnd),
}

/// A move that `decide` makes about the mark on a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkMove {
    /// Ralph was started and has to look up who holds the repository.
    Began {
        start: String,
        /// Ralph was away for so long that an old copy of the store could have been put in place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        was_away: bool,
        /// The store lacks what the previous start wrote.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_behind: bool,
    },
    /// The forge has a mark of this store that the store does not remember: the store is an old copy.
    Outdated { number: u64 },
    /// The Ralph that had the repository before has had time to notice the take-over.
    Begun,
}

/// Heads that were merged one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltTrial {
    pub number: u32,
    pub base: Sha,
    pub commit: Sha,
    /// The entries in order, with the tree after each.
    #[serde(alias = "cars")]
    pub entries: Vec<(Entry, String)>,
    /// Entries that conflict with those before them.
    pub apart: Vec<Entry>,
}

/// The result of an effect on a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoSettled {
    ChecksRequired {
        branch: Branch,
    },
    LabelDefined {
        name: String,
    },
    /// Without a name: the bot branch, as the first version wrote it.
    BranchMade {
        head: Sha,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<Branch>,
    },
    RollupOpened {
        number: PullNumber,
        head: Sha,
        body: Digest,
    },
    /// A person's pull request that is open already serves as the rollup.
    RollupAdopted {
        number: PullNumber,
        head: Sha,
    },
    RollupEdited {
        body: Digest,
    },
    SyncOpened {
        number: PullNumber,
        of: Sha,
        base: Branch,
    },
    SyncMerged {
        number: PullNumber,
        commit: Sha,
    },
    SyncTold {
        number: PullNumber,
    },
    BranchDeleted {
        branch: Branch,
    },
    TrialBuilt(BuiltTrial),
    TrialPushed {
        number: u32,
    },
    TrialOpened {
        number: u32,
        pull: PullNumber,
    },
    TrialClosed {
        pull: PullNumber,
    },
    /// A follow-up issue is open or was edited, and lists this many occurrences.
    FollowUpTold {
        id: FollowUpId,
        issue: u64,
        seen: u32,
    },
    /// The forge says that the issue no longer exists.
    FollowUpGone {
        id: FollowUpId,
    },
    /// Not settled yet: a mark with this number is about to be sent, and from now on it may exist.
    MarkSent {
        number: u64,
    },
    MarkWritten(Box<OwnMark>),
    /// Another mark was written in between, so the mark has to be read again.
    MarkMoved,
    Refused {
        what: DesiredEffect,
        reason: String,
    },
}
