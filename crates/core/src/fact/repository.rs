//! What can become known of a repository, and what became of effects on it.

use crate::digest::Digest;
use crate::ids::{Branch, Login, PullNumber, Sha};
use crate::pull::{Pull, Required};
use crate::repo::{
    Branches, Car, Compared, FollowUpId, LabelFault, OwnMark, RepoWish, SeenMark, TrialEnd,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a read of the forge showed of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoObservation {
    Branches(Branches),
    Required(Required),
    /// Which checks are required cannot be read.
    RequiredUnread {
        why: String,
    },
    /// Checks that were reported, by the branch that does not require them although Ralph is to keep that so.
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
    /// The pull request of the trial under way, with its checks.
    Trial(Pull),
    /// The mark of the Ralph that works here; `None`: there is none.
    Mark(Option<SeenMark>),
    /// A person wants the repository taken over.
    TakeOver {
        by: Login,
    },
    /// What a commit of the bot branch looks like.
    Tree {
        commit: Sha,
        tree: String,
    },
}

/// What `decide` moves about a trial on its own authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialMove {
    /// Its checks have passed: its members are merged as they were tried.
    Green,
    Ended(TrialEnd),
}

/// Moves that `decide` records of the mark on a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkMove {
    /// Ralph was started: whose the repository is has to be looked up.
    Began {
        start: String,
        /// It was away for so long that an old copy of the store could have been put in place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        was_away: bool,
    },
    /// The forge has a mark of this store that the store does not remember: it is an old copy.
    Outdated { number: u64 },
    /// The Ralph that had the repository before has had the time to see that it was taken over.
    Begun,
}

/// Heads that were merged one onto the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltTrial {
    pub number: u32,
    pub base: Sha,
    pub commit: Sha,
    /// In order, with the tree after each.
    pub cars: Vec<(Car, String)>,
    /// Those that conflict with what was before them.
    pub apart: Vec<Car>,
}

/// What became of an effect on a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepoSettled {
    ChecksRequired {
        branch: Branch,
    },
    LabelDefined {
        name: String,
    },
    /// No name: the bot branch, as the first version wrote it.
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
    /// A person has it open already, so it serves as the rollup.
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
    /// An issue of Ralph's own is open, or was edited, and tells of so many occurrences.
    FollowUpTold {
        id: FollowUpId,
        issue: u64,
        seen: u32,
    },
    /// The forge says that there is no such issue any more.
    FollowUpGone {
        id: FollowUpId,
    },
    /// Not settled yet: a mark with this number sets out, and from now on it may be there.
    MarkSent {
        number: u64,
    },
    MarkWritten(Box<OwnMark>),
    /// Another mark was written in between: it is to be read again.
    MarkMoved,
    Refused {
        what: RepoWish,
        reason: String,
    },
}
