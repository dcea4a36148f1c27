//! Decisions that wait too long, and those that take an issue that is gone for one that is there.

use super::decisions::mistaken;
use ralph_core::decide::{Plan, decide};
use ralph_core::issue::Issue;
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};

pub(super) fn forgets_deadlines(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    plan.decisions.iter_mut().for_each(|decision| decision.again = None);
    plan
}

/// An issue that is gone is taken for one that is there.
pub(super) fn merges_what_is_gone(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    mistaken(w, t, now, p, |issue| {
        let Issue { gone, seen, managed, .. } = issue;
        if gone.take().is_some()
            && let Some(seen) = seen
        {
            seen.open = true;
        }
        if let Some(run) = managed.as_mut().and_then(|managed| managed.run.as_mut()) {
            run.met_at = Some(now);
        }
    })
}
