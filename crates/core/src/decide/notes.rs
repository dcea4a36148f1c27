//! Answers to an escalation that was resolved: read before the next turn of an agent, and again after reads had the
//! time to catch up.

use super::{Context, Decision};
use crate::fact::Move;
use crate::issue::Phase;
use crate::notes::{UNHEARD_MAX, Unheard};
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};

/// Ends a wait for answers that takes too long: the run continues with what is known.
pub(super) fn next(cx: &Context<'_>) -> Option<Move> {
    let unheard = unheard(cx)?;
    (cx.now >= unheard.since.plus(UNHEARD_MAX)).then_some(Move::AnswersUnread)
}

pub(super) fn watch(cx: &Context<'_>, decision: &mut Decision) {
    let Some(unheard) = unheard(cx) else { return };
    let pace = if unheard.is_read { Pace::Normal } else { Pace::Soon };
    decision.watch.push(Watch { resource: Resource::Comments(cx.key.clone()), pace });
    decision.look_at(cx.now, unheard.since.plus(UNHEARD_MAX));
}

/// The time at which the run continues, whether answers were read or not.
pub(super) fn until(cx: &Context<'_>) -> Time {
    unheard(cx).map_or(cx.now, |unheard| unheard.since.plus(UNHEARD_MAX))
}

fn unheard(cx: &Context<'_>) -> Option<Unheard> {
    match cx.managed.phase {
        Phase::Queued | Phase::Parked { .. } | Phase::Running { .. } => cx.managed.notes.unheard,
        Phase::Out
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => None,
    }
}
