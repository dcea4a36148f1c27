//! Pull requests and checks as the forge shows them, and the combined state of a set of checks.

use crate::ids::{Branch, PullNumber, Sha};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A pull request as last read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pull {
    pub number: PullNumber,
    pub head: Sha,
    pub base: Branch,
    pub state: PullState,
    pub mergeable: Mergeable,
    /// Check results of the head, once read.
    pub checks: Option<Checks>,
    pub read_at: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullState {
    Open,
    Closed,
    Merged { commit: Sha },
}

/// The forge's statement on whether a merge would succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mergeable {
    /// Not computed yet: it is read again and never counts as clean.
    Unknown,
    Clean,
    /// Conflicts with its base.
    Dirty,
    /// Strict protection requires the base to be merged in first.
    Behind,
    /// Something required is missing.
    Blocked,
    /// A check that is not required is red or running.
    Unstable,
    Draft,
}

/// All check runs and statuses of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    pub head: Sha,
    pub by_name: BTreeMap<String, Vec<Check>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub state: CheckState,
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Pass,
    Pending,
    Fail,
}

impl CheckState {
    /// Reads a check run's conclusion or a status' state; an unknown one counts as pending.
    #[must_use]
    pub fn from_conclusion(text: &str) -> Self {
        match text {
            "success" | "neutral" | "skipped" => Self::Pass,
            "failure" | "timed_out" | "cancelled" | "action_required" | "stale"
            | "startup_failure" | "error" => Self::Fail,
            _ => Self::Pending,
        }
    }
}

impl Checks {
    /// Returns the worst state reported under this name; without a report it is pending.
    #[must_use]
    pub fn state_of(&self, name: &str) -> CheckState {
        let reported = self.by_name.get(name).and_then(|all| all.iter().map(|c| c.state).max());
        reported.unwrap_or(CheckState::Pending)
    }

    #[must_use]
    pub fn url_of(&self, name: &str) -> Option<&str> {
        self.by_name.get(name)?.iter().find_map(|check| check.url.as_deref())
    }
}

/// The checks that must be green, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Required {
    /// Not read yet, or unreadable: wait.
    #[default]
    Unknown,
    /// Both reads succeeded and list no check.
    Nothing,
    Names(Vec<String>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conclusions_map_as_decided() {
        for pass in ["success", "neutral", "skipped"] {
            assert_eq!(CheckState::from_conclusion(pass), CheckState::Pass, "{pass}");
        }
        for fail in ["failure", "timed_out", "cancelled", "stale", "startup_failure", "error"] {
            assert_eq!(CheckState::from_conclusion(fail), CheckState::Fail, "{fail}");
        }
        for pending in ["", "queued", "expected", "something new"] {
            assert_eq!(CheckState::from_conclusion(pending), CheckState::Pending, "{pending}");
        }
    }

    #[test]
    fn a_name_reported_twice_needs_both() {
        let check = |state| Check { state, url: None };
        let both = vec![check(CheckState::Pass), check(CheckState::Pending)];
        let checks = Checks { head: Sha::new("a"), by_name: [("CI".to_owned(), both)].into() };
        assert_eq!(checks.state_of("CI"), CheckState::Pending);
        assert_eq!(checks.state_of("absent"), CheckState::Pending);
    }
}
