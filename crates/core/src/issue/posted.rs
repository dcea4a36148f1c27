//! The state of a comment that Ralph posted.

use super::{Managed, Phase, Slot};
use crate::digest::Digest;
use crate::ids::CommentId;
use crate::repo::Refusal;
use crate::stored::is_default;
use crate::time::Time;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// The comment's id; `None`: it was never written, or a person deleted it.
    pub id: Option<CommentId>,
    pub body: Digest,
    /// The time of posting: comments after it may answer it.
    pub at: Time,
    /// The number of times that a person deleted it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deleted: u32,
    /// The forge refused the last write; Ralph tries again after a pause.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refusal: Option<Refusal>,
    /// Found on the forge; the store does not know the reason for its text, so it is left unchanged.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_recalled: bool,
}

impl Posted {
    #[must_use]
    pub const fn unwritten(body: Digest, at: Time) -> Self {
        Self { id: None, body, at, deleted: 0, refusal: None, is_recalled: false }
    }
}

impl Managed {
    /// Returns the refusal of a desired comment: the latest command's result, or the call for a person.
    #[must_use]
    pub fn refused_comment(&self) -> Option<&Refusal> {
        let episode = match self.phase {
            Phase::Escalated { episode, .. } => Some(Slot::Escalation { episode }),
            Phase::Out
            | Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Stopped { .. }
            | Phase::InBot { .. }
            | Phase::Done { .. } => None,
        };
        let refusal = |slot: &Slot| self.comments.get(slot)?.refusal.as_ref();
        episode.as_ref().and_then(refusal).or_else(|| refusal(&Slot::Command))
    }
}
