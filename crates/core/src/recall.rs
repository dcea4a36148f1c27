//! Recall: before anything is done for an issue, Ralph looks up what the forge knows of it and the store does not,
//! because the store was restored from an old copy or another Ralph worked here meanwhile.

use crate::digest::Digest;
use crate::ids::{CommentId, PullNumber};
use crate::issue::Slot;
use crate::label::Status;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The store may be older than the work that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outdated {
    pub since: Time,
    /// True if the store is outdated for certain: the forge shows later marks of this store, or the repository was
    /// another Ralph's. Otherwise Ralph was away for so long that an old copy could have been put in place.
    pub is_certain: bool,
    /// The last time before at which it was outdated for certain. Issues that were not looked up since then lack the
    /// same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was_certain: Option<Time>,
}

impl Outdated {
    /// The last time at which the store was outdated for certain.
    #[must_use]
    pub fn certain_since(self) -> Option<Time> {
        if self.is_certain { Some(self.since) } else { self.was_certain }
    }

    /// True if the store certainly lacks work for an issue that was last looked up at this time, or never.
    #[must_use]
    pub fn is_certain_of(self, recalled: Option<Time>) -> bool {
        self.certain_since().is_some_and(|since| recalled.is_none_or(|at| at < since))
    }
}

/// The results of a look-up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recalled {
    pub comments: Vec<RecalledComment>,
    /// Ralph's pull request from the issue's branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<PullNumber>,
    /// The status that its labels show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Label events up to this id were handled: the labels they added are no longer on the issue.
    pub heeded_up_to: u64,
}

/// A comment that Ralph wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledComment {
    pub slot: Slot,
    pub id: CommentId,
    pub body: Digest,
    pub at: Time,
}
