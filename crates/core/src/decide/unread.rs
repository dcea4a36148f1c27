//! Reads that fail: Ralph waits for them until a deadline, shows the forge's own words, and then asks a person.

use super::{Context, Next};
use crate::escalation::Cause;
use crate::standing::Standing;
use crate::time::Time;
use crate::unread::ReadOf;
use crate::watch::Watch;
use crate::words;

/// The forge's words, if it has refused this read or not answered.
pub(crate) fn why(cx: &Context<'_>, of: ReadOf) -> Option<String> {
    match of {
        ReadOf::RequiredChecks => cx.repo.required_unread.clone(),
        ReadOf::Issue
        | ReadOf::Relations
        | ReadOf::Blockers
        | ReadOf::Comments
        | ReadOf::Pull
        | ReadOf::Checks
        | ReadOf::Reach => cx.managed.unread.get(&of).map(|unread| unread.why.clone()),
    }
}

pub(crate) fn is_known(cx: &Context<'_>, of: ReadOf) -> bool {
    why(cx, of).is_some()
}

/// Asks a person to make it readable.
pub(crate) fn escalate(cx: &Context<'_>, of: ReadOf) -> Next {
    let why = why(cx, of).unwrap_or_else(|| words::NO_ANSWER.to_owned());
    super::step::escalate(Cause::Unreadable { of, why })
}

/// Waits for a read until a deadline. The standing says why the read does not come.
pub(crate) fn wait(
    cx: &Context<'_>,
    of: ReadOf,
    until: Time,
    watch: Vec<Watch>,
    standing: fn(Time, Option<String>) -> Standing,
) -> Next {
    if until <= cx.now {
        return escalate(cx, of);
    }
    Next::Until(standing(until, why(cx, of)), watch, until)
}
