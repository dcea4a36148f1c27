//! Issues that a command names and that the forge has never shown. Ralph reads whether such an issue exists before it
//! does anything to it; one that does not exist or may not be read is refused and forgotten.

use super::{Context, Decision, unread};
use crate::fact::{Move, Subject};
use crate::fold::READ_LAG;
use crate::standing::Standing;
use crate::unread::ReadOf;
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// Decides for an issue that was never seen. `None` if it was seen, or has had a run, which only a seen issue has.
pub(super) fn decide(cx: &Context<'_>) -> Option<Decision> {
    if cx.issue.seen.is_some() || cx.managed.run.is_some() || cx.managed.work.is_some() {
        return None;
    }
    let subject = Subject::Issue(cx.key.clone());
    let unreadable = why_not(cx);
    let pending = cx.managed.commands.pending.iter().next();
    if let Some((id, pending)) = pending {
        let is_obeyed = pending.is_kept_here();
        if is_obeyed || unreadable.is_some() {
            let refused = unreadable.filter(|_| !is_obeyed);
            return Some(Decision::moving(subject, Move::Commanded { id: *id, refused }));
        }
    }
    if unreadable.is_some() {
        return Some(Decision::moving(subject, Move::Forgotten));
    }
    let mut decision = Decision::nothing(subject);
    decision.standing = Some(Standing::LooksForIssue);
    match cx.issue.gone.map(|gone| gone.since.plus(READ_LAG)) {
        // A replica may not know a new issue yet: it is read again once reads have caught up.
        Some(at) if at > cx.now => decision.look_again(at),
        Some(_) | None => {
            let resource = Resource::Issue(cx.key.clone());
            decision.watch.push(Watch { resource, pace: Pace::Soon });
        }
    }
    Some(decision)
}

/// The reason why nothing can be done to it: it does not exist, or may not be read.
fn why_not(cx: &Context<'_>) -> Option<String> {
    let unread = unread::why(cx, ReadOf::Issue).map(|why| words::refused_unreadable(cx.key, &why));
    let missing = || cx.issue.is_missing().then(|| words::refused_no_such_issue(cx.key));
    unread.or_else(missing)
}
