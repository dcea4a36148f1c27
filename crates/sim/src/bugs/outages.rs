//! Decisions that take an outage of the agents' program for something else.

use ralph_core::bound::Bound;
use ralph_core::decide::{Plan, decide};
use ralph_core::escalation::Cause;
use ralph_core::fact::{Move, RunMove};
use ralph_core::outage::Turns;
use ralph_core::policy::Policy;
use ralph_core::steps::Step;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};

pub(super) fn blames_issues(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    for step in plan.decisions.iter_mut().flat_map(|decision| &mut decision.moves) {
        if matches!(step, Move::Run(RunMove::Excused)) {
            let reason = crate::faults::breaking::SAYS.to_owned();
            *step = Move::Escalated { cause: Cause::CouldNotRun { step: Step::Plan, reason } };
        }
    }
    plan
}

pub(super) fn blames_no_issue(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    super::decisions::mistaken(w, t, now, p, |issue| {
        if let Some(run) = issue.managed.as_deref_mut().and_then(|managed| managed.run.as_mut()) {
            run.spent.clear(Bound::AGENT_FAILURES);
        }
    })
}

/// No failure is remembered, unless the program fails for all.
pub(super) fn starts_while_limited(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    if w.outage().is_some() { decide(w, t, now, p) } else { tries_at_once(w, t, now, p) }
}

/// A world in which no turn has ever failed.
pub(super) fn tries_at_once(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut other = World::default();
    for (name, repo) in w.repos() {
        let mut repo = repo.clone();
        repo.turns = Turns::default();
        other.load_repo(name.clone(), repo);
    }
    for (key, issue) in w.issues() {
        let mut issue = issue.clone();
        if let Some(run) = issue.managed.as_mut().and_then(|managed| managed.run.as_mut()) {
            run.spent.clear(Bound::AGENT_FAILURES);
        }
        other.load_issue(key.clone(), issue);
    }
    decide(&other, t, now, p)
}
