//! One issue without faults, from the label to the removed worktree.

use crate::desk::{Desk, key};
use crate::hand_forge::QUEUED;
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_core::steps::Step;

/// Issue 7 is queued.
pub(crate) fn begun() -> Desk {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    desk
}

/// Its pull request is open and waits for the required check.
pub(crate) fn waiting_for_checks() -> Desk {
    let mut desk = begun();
    desk.forge.ci = Some(CheckState::Pending);
    let is_there = |desk: &Desk| {
        desk.managed(7).phase == Phase::Running { step: Step::Checks }
            && desk.managed(7).pull.as_ref().is_some_and(|pull| pull.checks.is_some())
    };
    desk.rounds_until(is_there);
    desk
}

/// It is done: merged, rolled up, closed and cleaned up.
pub(crate) fn lived() -> Desk {
    let mut desk = waiting_for_checks();
    desk.forge.ci = Some(CheckState::Pass);
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::InBot { .. }));
    desk.rounds_until(|desk| desk.forge.pulls.len() == 2);
    desk.forge.merges(51);
    desk.forge.is_rolled_up = true;
    let is_over = |desk: &Desk| {
        let managed = desk.managed(7);
        let is_cleaned_up = managed.run.as_ref().is_some_and(|run| run.workspace.is_none());
        matches!(managed.phase, Phase::Done { is_closed: true, .. }) && is_cleaned_up
    };
    desk.rounds_until(is_over);
    desk
}
