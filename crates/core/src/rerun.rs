//! Reruns of checks that chance or the machine may have made red: one for each check of a commit, ever.

use crate::ids::Sha;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// Reruns kept in a run. Each is of one check of one commit, and only the latest commit is still relevant.
pub(crate) const RERUNS_MAX: usize = 12;

/// Longest time that a check may take to show that it runs again. A check that still shows the old result then did not
/// start.
pub(crate) const RERUN_REACTION: Span = Span::from_mins(10);

/// A check that the forge can rerun; a status cannot be rerun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rerunnable {
    CheckRun(u64),
    /// A check run of GitHub Actions, whose job has the same number.
    Job(u64),
}

/// One check of one commit, and the check run or job to rerun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RerunOf {
    pub head: Sha,
    pub check: String,
    pub of: Rerunnable,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerun {
    #[serde(flatten)]
    pub what: RerunOf,
    pub at: Time,
    /// The forge refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_refused: bool,
}
