//! The conditions for removing a worktree: evidence that its issue is done, or that it was given up, in which case
//! everything in it is saved under a rescue ref first.

use crate::issue::DoneEvidence;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a worktree may be removed. The stored form of the second is that of its evidence alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Removal {
    /// It is no longer needed, but its content may exist nowhere else.
    GivenUp(GivenUp),
    #[serde(untagged)]
    Done(DoneEvidence),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenUp {
    /// The issue was stopped, or taken out of the queue.
    Stopped,
    /// The issue's run has another worktree.
    Superseded,
    /// The issue was done without a change.
    Unneeded,
}

/// The full name of a ref that keeps the content of a worktree: its commits, and its uncommitted files as one more
/// commit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RescueRef(String);

impl RescueRef {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RescueRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RescueRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Sha;

    #[test]
    fn evidence_that_was_stored_alone_is_still_a_proof() {
        let (merged, default_head) = (Sha::new("a"), Sha::new("b"));
        let evidence = DoneEvidence::Reachable { merged, default_head };
        let stored = serde_json::to_string(&evidence).unwrap();
        let removal = Removal::Done(evidence);
        assert_eq!(serde_json::from_str::<Removal>(&stored).unwrap(), removal);
        assert_eq!(serde_json::to_string(&removal).unwrap(), stored);
        let given_up = Removal::GivenUp(GivenUp::Stopped);
        let stored = serde_json::to_string(&given_up).unwrap();
        assert_eq!(stored, r#"{"given_up":"stopped"}"#);
        assert_eq!(serde_json::from_str::<Removal>(&stored).unwrap(), given_up);
    }
}
