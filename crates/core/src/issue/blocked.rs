//! Blockers: the reasons why an issue waits in the queue.

use crate::ids::IssueKey;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a run does not move, kept as metadata and never as a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    pub source: BlockedSource,
    pub by: Vec<IssueKey>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockedSource {
    Deps,
    /// Dependencies were never read successfully.
    DepsUnknown,
    /// The body names issues that do not exist.
    DepsMissing,
    Allowlist,
    PreflightMissing,
}

impl BlockedSource {
    /// Its name in status, `explain` and their JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deps => "deps",
            Self::DepsUnknown => "deps-unknown",
            Self::DepsMissing => "deps-missing",
            Self::Allowlist => "allowlist",
            Self::PreflightMissing => "preflight-missing",
        }
    }
}

impl fmt::Display for BlockedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
