//! The step that a run is at: whatever blocks it, and otherwise its own decision.

use super::{Context, Next, look, messages, notes, outage, sync_lane};
use crate::bound::Bound;
use crate::escalation::Cause;
use crate::fact::Move;
use crate::run::Run;
use crate::standing::Standing;
use crate::steps::Step;
use crate::words;

/// The next decision for a run. Called only while no process of the issue runs.
pub(super) fn next(cx: &Context<'_>, at: Step) -> Next {
    let Some(run) = cx.run() else {
        return escalate(Cause::NoEvidence);
    };
    let step = run.position(cx.rules);
    if step != at {
        return Next::Move(Move::Reached { step });
    }
    let spent = || {
        interrupted(cx, run).or_else(|| stalled(cx, run)).or_else(|| outage::blamed(cx, run, step))
    };
    if let Some(cause) = run.trouble.clone().or_else(spent) {
        return escalate(cause);
    }
    if let Some(next) = look::at_claim(cx, run) {
        return next;
    }
    if cx.managed.waits_for_answers(step) {
        return Next::Wait(Standing::WaitsForAnswers { step, until: notes::until(cx) });
    }
    if sync_lane::brings_nothing(run) {
        return sync_lane::is_over(run);
    }
    if let Some(steered) = messages::steers(cx, run, step) {
        return Next::Move(steered);
    }
    (step.spec().next)(cx, run)
}

pub(crate) const fn escalate(cause: Cause) -> Next {
    Next::Move(Move::Escalated { cause })
}

/// The last failure in words, for a cause that needs one.
pub(crate) fn last_failure(run: &Run) -> String {
    run.last_failure.clone().unwrap_or_default()
}

/// True if this may be tried again.
pub(crate) fn may_try(cx: &Context<'_>, run: &Run, bound: Bound) -> bool {
    run.spent.of(bound) < cx.rules.limits.of(bound)
}

/// Waits for a worker as long as the step may be tried, then asks a person.
pub(crate) fn or_spent(cx: &Context<'_>, run: &Run, step: Step) -> Next {
    if may_try(cx, run, Bound::Step(step)) {
        return Next::Wait(Standing::WaitsForSlot { step });
    }
    let reason = run.feedback.clone().unwrap_or_else(|| last_failure(run));
    escalate(Cause::StepSpent { step, reason })
}

fn interrupted(cx: &Context<'_>, run: &Run) -> Option<Cause> {
    (!may_try(cx, run, Bound::INTERRUPTIONS)).then_some(Cause::Interrupted)
}

fn stalled(cx: &Context<'_>, run: &Run) -> Option<Cause> {
    let stalled = run.stalled.as_ref().filter(|_| !may_try(cx, run, Bound::STALLS))?;
    Some(Cause::Stalled { step: stalled.step, reason: words::stalled(stalled) })
}
