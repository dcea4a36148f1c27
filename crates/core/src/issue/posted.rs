//! What became of a comment of Ralph's.

use super::{Managed, Phase, Slot};
use crate::digest::Digest;
use crate::ids::CommentId;
use crate::repo::Refusal;
use crate::stored::is_default;
use crate::time::Time;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// `None`: it was never written, or a person deleted it.
    pub id: Option<CommentId>,
    pub body: Digest,
    /// When it was posted: comments after it may answer it.
    pub at: Time,
    /// How often a person deleted it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deleted: u32,
    /// The forge's last word on it was no; it is asked again after a pause.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refusal: Option<Refusal>,
    /// Found on the forge, and nothing is known of why it says what it says: it is left so.
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
    /// A comment that is wanted and that the forge refuses: the latest command's result, or the call for a person.
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
