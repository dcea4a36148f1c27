//! Decisions that wait too long.

use ralph_core::decide::{Plan, decide};
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};

pub(super) fn forgets_deadlines(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    plan.decisions.iter_mut().for_each(|decision| decision.again = None);
    plan
}
