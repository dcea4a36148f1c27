//! People's messages that go astray.

use ralph_core::decide::{Plan, decide};
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::policy::Policy;
use ralph_core::run::WorkState;
use ralph_core::time::Time;
use ralph_core::world::{Touched, World};
use ralph_engine::Leased;

/// Cuts the part with the messages out of a prompt.
pub(super) fn drop_messages(leased: &mut Leased) {
    if let Some((before, rest)) = leased.prompt.split_once("Messages of the operator") {
        let after = rest.split_once("\n## ").map_or("", |(_, after)| after);
        leased.prompt = format!("{before}\n## {after}");
    }
}

/// Gives the oldest message that waits to any turn under way.
pub(super) fn tells_reviewers(w: &World, t: &Touched, now: Time, p: &Policy) -> Plan {
    let mut plan = decide(w, t, now, p);
    for decision in plan.decisions.iter_mut().filter(|decision| decision.moves.is_empty()) {
        let Some(key) = decision.subject.issue().cloned() else { continue };
        let managed = w.issue(&key).and_then(|issue| issue.managed.as_deref());
        let Some((managed, work)) = managed.and_then(|it| Some((it, it.work.as_ref()?))) else {
            continue;
        };
        let is_told = work.step.takes_turn() && work.state == WorkState::Underway;
        let first = managed.messages.waiting().next().filter(|_| is_told);
        if let Some(first) = first.filter(|_| !managed.may_be_told(work.attempt)) {
            let (attempt, message) = (work.attempt, first.id);
            let (from, text) = (first.from.clone(), first.text);
            let tell = MachineAct::Tell { attempt, message, from, text };
            decision.effects.push(Effect::Machine(key, tell));
        }
    }
    plan
}
