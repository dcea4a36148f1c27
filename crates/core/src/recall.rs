//! Knowledge that the forge still has of an issue and the store has not: it was restored from an old copy, or another
//! Ralph worked here meanwhile. It is looked up before anything is done for the issue.

use crate::digest::Digest;
use crate::ids::{CommentId, PullNumber};
use crate::issue::Slot;
use crate::label::Status;
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The store may be older than what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outdated {
    pub since: Time,
    /// It is: the forge shows later marks of this store, or the repository was another Ralph's. Otherwise Ralph was
    /// away for so long that an old copy could have been put in place.
    pub is_certain: bool,
}

/// The finds of a look-up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recalled {
    pub comments: Vec<RecalledComment>,
    /// Ralph's pull request from the issue's branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<PullNumber>,
    /// The status that its labels show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Label events up to this one were heeded: what they asked for does not stand on the issue any longer.
    pub heeded_up_to: u64,
}

/// A comment of Ralph's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecalledComment {
    pub slot: Slot,
    pub id: CommentId,
    pub body: Digest,
    pub at: Time,
}
