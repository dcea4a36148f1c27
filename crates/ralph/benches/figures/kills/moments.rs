//! The steps of a life as a store shows them: which of them are under way, and how long each takes.

use crate::clock;
use ralph_core::standing::Standing;
use ralph_engine::store::{IssueReport, StatusReport};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Everything that a daemon can be killed inside of, in the order of a life.
pub(super) const MOMENTS: [&str; 17] = [
    "workspace",
    "setup",
    "parent verification",
    "plan",
    "plan review",
    "implement",
    "repair",
    "preflight",
    "test integrity",
    "product review",
    "devex review",
    PUSH,
    PULL,
    "survey",
    CHECKS,
    MERGE,
    CLEANUP,
];
const PUSH: &str = "push";
const PULL: &str = "pull request";
const CHECKS: &str = "checks";
const MERGE: &str = "merge";
const CLEANUP: &str = "cleanup";
/// Part of the key of an effect that removes a worktree.
const REMOVES: &str = "rmworktree:";
/// For a step that was too short to be seen.
const SHORTEST: Duration = Duration::from_millis(20);

/// The steps that are under way.
pub(super) fn now_at(status: &StatusReport) -> BTreeSet<&'static str> {
    let cleanup = status.outbox.iter().any(|row| row.key.contains(REMOVES));
    let steps = status.issues.iter().filter_map(step_of);
    steps.chain(cleanup.then_some(CLEANUP)).collect()
}

fn step_of(issue: &IssueReport) -> Option<&'static str> {
    match issue.standing.as_ref() {
        Some(Standing::Starting { step } | Standing::Working { step, .. }) => Some(step.name()),
        Some(Standing::Pushing) => Some(PUSH),
        Some(Standing::OpeningPull | Standing::WaitsForPull { .. }) => Some(PULL),
        Some(Standing::WaitsForChecks { .. } | Standing::WaitsForRequiredChecks { .. }) => {
            Some(CHECKS)
        }
        Some(Standing::Merging { .. }) => Some(MERGE),
        Some(_) | None => None,
    }
}

/// The longest time that each step took without a disturbance.
#[derive(Debug, Clone, Default)]
pub(super) struct Usual {
    since: BTreeMap<&'static str, Instant>,
    longest: BTreeMap<&'static str, Duration>,
}

impl Usual {
    pub(super) fn note(&mut self, status: &StatusReport) {
        let at = now_at(status);
        self.since.retain(|step, _| at.contains(step));
        for step in at {
            let since = *self.since.entry(step).or_insert_with(clock::now);
            let longest = self.longest.entry(step).or_default();
            *longest = since.elapsed().max(*longest);
        }
    }

    pub(super) fn of(&self, step: &str) -> Duration {
        self.longest.get(step).copied().unwrap_or_default().max(SHORTEST)
    }
}
