//! Planted bugs about what comes from the default branch: its changes that conflict, and what its commits close.

use ralph_core::decide::{Plan, decide};
use ralph_core::fact::{Move, Observation, What};
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};
use ralph_engine::Reading;

pub(super) fn leaves_sync_conflicts(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    let is_taken_up = |step: &Move| matches!(step, Move::SyncConflicted { .. });
    plan.decisions.iter_mut().for_each(|d| d.moves.retain(|step| !is_taken_up(step)));
    plan
}

pub(super) fn forget_closers(reading: &mut Reading) {
    for fact in &mut reading.facts {
        if let What::Seen(Observation::Issue(seen) | Observation::IssueInPart { seen, .. }) =
            &mut fact.what
        {
            seen.closed_by = None;
        }
    }
}
