//! What can become known of a repository, and what became of effects on it.

use crate::digest::Digest;
use crate::ids::{Branch, PullNumber, Sha};
use crate::pull::{Pull, Required};
use crate::repo::{Branches, Car, Compared, FollowUpId, LabelFault, RepoWish, TrialEnd};
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
    /// The open sync pull request, with its checks.
    Sync(Pull),
    /// The pull request of the trial under way, with its checks.
    Trial(Pull),
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
    Refused {
        what: RepoWish,
        reason: String,
    },
}
