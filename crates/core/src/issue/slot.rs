//! Ralph's comments on an issue: each has a slot and exists at most once.

use crate::lane::Lane;
use serde::{Deserialize, Serialize};

const CI_DEBUG: &str = "ci-debug";
const MERGE_CONFLICT: &str = "merge-conflict";

/// The identity of a comment that exists at most once: its marker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Slot {
    Command,
    Escalation { episode: u32 },
    Adopted,
    Verify,
    Lane { lane: Lane },
}

impl From<Slot> for String {
    fn from(slot: Slot) -> Self {
        match slot {
            Slot::Command => "command".to_owned(),
            Slot::Escalation { episode } => format!("escalation-{episode}"),
            Slot::Adopted => "adopted".to_owned(),
            Slot::Verify => "verify".to_owned(),
            Slot::Lane { lane: Lane::CiDebug } => CI_DEBUG.to_owned(),
            Slot::Lane { lane: Lane::MergeConflict } => MERGE_CONFLICT.to_owned(),
        }
    }
}

impl TryFrom<String> for Slot {
    type Error = UnreadableKey;

    fn try_from(text: String) -> Result<Self, UnreadableKey> {
        let episode = text.strip_prefix("escalation-").and_then(|n| n.parse().ok());
        match (text.as_str(), episode) {
            ("command", _) => Ok(Self::Command),
            ("adopted", _) => Ok(Self::Adopted),
            ("verify", _) => Ok(Self::Verify),
            (CI_DEBUG, _) => Ok(Self::Lane { lane: Lane::CiDebug }),
            (MERGE_CONFLICT, _) => Ok(Self::Lane { lane: Lane::MergeConflict }),
            (_, Some(episode)) => Ok(Self::Escalation { episode }),
            (_, None) => Err(UnreadableKey(text)),
        }
    }
}

/// A stored key that this version does not know.
#[derive(Debug)]
pub struct UnreadableKey(pub(crate) String);

impl std::fmt::Display for UnreadableKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unknown key {:?}", self.0)
    }
}
