//! One issue without faults, from the label to the removed worktree.

use crate::hand_forge::QUEUED;
use crate::harness::{Harness, key};
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_core::steps::Step;

/// Issue 7 is queued.
pub(crate) fn begun() -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    harness
}

/// Its pull request is open and waits for the required check.
pub(crate) fn waiting_for_checks() -> Harness {
    let mut harness = begun();
    harness.forge.ci = Some(CheckState::Pending);
    let is_there = |harness: &Harness| {
        harness.managed(7).phase == Phase::Running { step: Step::Checks }
            && harness.managed(7).pull.as_ref().is_some_and(|pull| pull.checks.is_some())
    };
    harness.rounds_until(is_there);
    harness
}

/// It is done: merged, rolled up, closed and cleaned up.
pub(crate) fn finished_run() -> Harness {
    let mut harness = waiting_for_checks();
    harness.forge.ci = Some(CheckState::Pass);
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
    harness.rounds_until(|harness| harness.forge.pulls.len() == 2);
    harness.forge.merges(51);
    harness.forge.is_rolled_up = true;
    let is_over = |harness: &Harness| {
        let managed = harness.managed(7);
        let is_cleaned_up = managed.run.as_ref().is_some_and(|run| run.workspace.is_none());
        matches!(managed.phase, Phase::Done { is_closed: true, .. }) && is_cleaned_up
    };
    harness.rounds_until(is_over);
    harness
}
