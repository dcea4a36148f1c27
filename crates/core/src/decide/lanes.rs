//! Recovery lanes: whether to attempt another repair, how, and what happens after an attempt that ends without one.

mod ci_debug;
mod merge_conflict;

pub(crate) use ci_debug::red;
pub(crate) use merge_conflict::{conflicting, dirty};

use super::step::escalate;
use super::{Context, Next};
use crate::escalation::Cause;
use crate::fact::Move;
use crate::issue::Phase;
use crate::lane::{Entry, How, Lane, LaneBook, LaneEnd, Trigger};
use crate::run::Run;
use crate::words::LaneState;

/// Attempts another repair, or gives up if the lane has reached its end.
pub(crate) fn enter(
    cx: &Context<'_>,
    lane: Lane,
    how: How,
    trigger: Trigger,
    told: String,
) -> Next {
    let limit = cx.rules.limits.of(lane.bound());
    let book = cx.managed.lanes.book(lane);
    let end = book.and_then(|book| Some((book, book.ends_with(&trigger.signature, limit)?)));
    if let Some((book, end)) = end {
        let attempts = match end {
            LaneEnd::Attempts | LaneEnd::Repeats => book.in_vain(),
            LaneEnd::Total => u32::try_from(book.attempts.len()).unwrap_or(u32::MAX),
        };
        let failing = trigger.found.into_iter().map(|found| found.name).collect();
        return escalate(Cause::LaneSpent { lane, end, attempts, failing });
    }
    Next::Move(Move::LaneEntered(Box::new(Entry { lane, how, trigger, told })))
}

/// Continues after an attempt that has spent its turns with nothing to push: the fault is as it was. `None` for a run
/// that is not an attempt of a lane, or that has repaired the fault.
pub(crate) fn unrepaired(cx: &Context<'_>, run: &Run) -> Option<Next> {
    let (lane, attempt) = cx.managed.lanes.under_way(run.id)?;
    if attempt.is_green {
        return None;
    }
    let told = run.feedback.clone().or_else(|| run.last_failure.clone()).unwrap_or_default();
    // The base may have moved since the attempt started.
    let trigger = run.conflict.as_ref().map(merge_conflict::trigger);
    let trigger = trigger.unwrap_or_else(|| attempt.trigger.clone());
    Some(enter(cx, lane, How::Spawn, trigger, told))
}

/// The state of a lane, for its comment.
pub(crate) fn state(cx: &Context<'_>, of: Lane) -> LaneState {
    let is_repaired = cx.managed.lanes.book(of).is_some_and(LaneBook::is_repaired);
    match &cx.managed.phase {
        Phase::InBot { .. } | Phase::Done { .. } => LaneState::Merged,
        Phase::Escalated { cause: Cause::LaneSpent { lane, .. }, .. } if *lane == of => {
            LaneState::GivenUp
        }
        _ if is_repaired => LaneState::Repaired,
        Phase::Escalated { .. } => LaneState::Waits,
        Phase::Out => LaneState::Over,
        Phase::Queued | Phase::Running { .. } | Phase::Parked { .. } | Phase::Stopped { .. } => {
            LaneState::Repairing
        }
    }
}
