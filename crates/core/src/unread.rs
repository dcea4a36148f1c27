//! Reads that an issue waits for and that the forge refuses or does not answer: what, why and since when. A limit that
//! the forge sets for everything is not among them.

use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A thing that was to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOf {
    /// The issue itself.
    Issue,
    /// Its native dependencies and sub-issues.
    Relations,
    Comments,
    Pull,
    /// Check runs and statuses of the pull request's head.
    Checks,
    /// Whether its change has arrived on the default branch.
    Reach,
    /// Which checks its repository requires.
    RequiredChecks,
}

/// A read that did not succeed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The forge's latest words.
    pub why: String,
    pub since: Time,
}
