//! A look at the issue itself: once when it is claimed, before anything is spent on it, and once before its change is
//! merged. An issue may be deleted, moved away or blocked without a trace in any list of changes.

use super::unread;
use super::{Context, Next};
use crate::fact::{Move, RunMove};
use crate::gate::Gate;
use crate::run::Run;
use crate::standing::Standing;
use crate::time::{Span, Time};
use crate::unread::ReadOf;
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// The time that a run waits for its first look. After that it continues if the forge does not answer, and escalates if
/// the forge refuses.
const LOOK_MAX: Span = Span::from_mins(10);

/// The look before the first step of a run.
pub(crate) fn at_claim(cx: &Context<'_>, run: &Run) -> Option<Next> {
    if run.met_at.is_some() {
        return None;
    }
    let until = run.started.plus(LOOK_MAX);
    let refused =
        [ReadOf::Issue, ReadOf::Relations].into_iter().find(|of| unread::is_known(cx, *of));
    Some(match refused {
        _ if cx.now < until => looks(cx, until),
        Some(of) => unread::escalate(cx, of),
        None => Next::Move(Move::Run(RunMove::LookPassedOver)),
    })
}

/// The look before a merge, once everything has passed: the issue must still be there.
pub(crate) fn before_merge(cx: &Context<'_>, run: &Run) -> Option<Next> {
    let subject = run.subject_of(Gate::Ci)?;
    let green = run.gates.on(Gate::Ci, &subject)?.at;
    let is_there = cx.issue.gone.is_none() && run.met_at.is_some_and(|looked| looked >= green);
    let until = green.plus(cx.rules.limits.ci_timeout);
    match is_there {
        true => None,
        false if cx.now < until => Some(looks(cx, until)),
        false => Some(unread::escalate(cx, ReadOf::Issue)),
    }
}

fn looks(cx: &Context<'_>, until: Time) -> Next {
    let gone = || cx.issue.gone.map(|_| words::GONE.to_owned());
    let why = unread::why(cx, ReadOf::Issue).or_else(gone);
    let why = why.or_else(|| unread::why(cx, ReadOf::Relations));
    let watch = Watch { resource: Resource::Look(cx.key.clone()), pace: Pace::Soon };
    Next::Until(Standing::LooksAtIssue { until, why }, vec![watch], until)
}
