//! Reads that an issue waits for and that the forge refuses or does not answer: the thing to read, the error and the
//! time. A rate limit of the forge is not among them.

use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The thing to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOf {
    /// The issue itself.
    Issue,
    /// Its native dependencies and sub-issues.
    Relations,
    /// Issues that its text names as blockers.
    Blockers,
    Comments,
    Pull,
    /// Check runs and statuses of the pull request's head.
    Checks,
    /// The arrival of its change on the default branch.
    Reach,
    /// The required checks of its repository.
    RequiredChecks,
}

/// A read that did not succeed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The forge's latest error.
    pub why: String,
    pub since: Time,
}
