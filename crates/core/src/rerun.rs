//! Checks that are run once more because chance or the machine may be to blame: once for each check of a commit, for ever.

use crate::ids::Sha;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// Reruns kept in a run. Each is of one check of one commit, and only the latest commit can still be asked about.
pub(crate) const RERUNS_MAX: usize = 12;

/// How long a check may take to show that it runs again. One that still shows the old result then has not done so.
pub(crate) const RERUN_REACTION: Span = Span::from_mins(10);

/// What the forge can be asked to run once more; a status cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rerunnable {
    CheckRun(u64),
    /// A check run of GitHub Actions, whose job has the same number.
    Job(u64),
}

/// One check of one commit, and what is run for it.
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
    /// The forge would not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_refused: bool,
}
