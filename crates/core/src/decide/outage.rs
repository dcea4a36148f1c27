//! The consequences of an outage of the agents' program: no issue is blamed for it, and one whose turns fail while those of
//! others work is.

use super::Context;
use super::step::{last_failure, may_try};
use crate::bound::Bound;
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::run::Run;
use crate::steps::Step;

/// A run whose failures are part of the outage is not to blame for them.
pub(super) fn excused(cx: &Context<'_>) -> Option<Move> {
    let has_failed = cx.run().is_some_and(|run| run.spent.of(Bound::AGENT_FAILURES) > 0);
    if !has_failed || !cx.repo.turns.has_failed(cx.key.number) {
        return None;
    }
    let outage = cx.world.outage()?;
    outage.issues.contains(cx.key).then_some(Move::Run(RunMove::Excused))
}

/// The agent fails in this run, and works elsewhere.
pub(super) fn blamed(cx: &Context<'_>, run: &Run, step: Step) -> Option<Cause> {
    let reason = last_failure(run);
    let is_spent = !may_try(cx, run, Bound::AGENT_FAILURES);
    is_spent.then_some(Cause::CouldNotRun { step, reason })
}
