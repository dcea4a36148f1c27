//! The consequences of an outage of the agents' program: no issue is blamed for it, but an issue whose turns fail while
//! those of others work is.

use super::Context;
use super::step::{last_failure, may_try};
use crate::bound::Bound;
use crate::escalation::Cause;
use crate::fact::{Move, RunMove};
use crate::run::Run;
use crate::steps::Step;

/// Excuses a run whose failures are part of an outage, once the program has failed for others too.
pub(super) fn excused(cx: &Context<'_>) -> Option<Move> {
    let has_failed = cx.run().is_some_and(|run| run.spent.of(Bound::AGENT_FAILURES) > 0);
    if !has_failed || !cx.repo.turns.has_failed(cx.key.number) {
        return None;
    }
    let outage = cx.world.outage().filter(|outage| outage.only_issue().is_none())?;
    outage.issues.contains(cx.key).then_some(Move::Run(RunMove::Excused))
}

/// The cause for a run in which the agent fails while it works elsewhere. During an outage it is not known whether it
/// does, until the outage turns out to be one of this issue.
pub(super) fn blamed(cx: &Context<'_>, run: &Run, step: Step) -> Option<Cause> {
    if may_try(cx, run, Bound::AGENT_FAILURES)
        || cx.world.outage().is_some_and(|outage| !outage.is_of(cx.key))
    {
        return None;
    }
    Some(Cause::CouldNotRun { step, reason: last_failure(run) })
}
