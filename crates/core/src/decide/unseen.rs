//! Issues that a command names and that the forge has never shown. Whether there is such an issue is read before
//! anything is done to it; one that does not exist or may not be read is refused and forgotten.

use super::{Context, Decision, unread};
use crate::command::Command;
use crate::fact::{Move, Subject};
use crate::fold::READ_LAG;
use crate::standing::Standing;
use crate::unread::ReadOf;
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// `None`: it was seen, or it has had a run, which only what was seen has.
pub(super) fn decide(cx: &Context<'_>) -> Option<Decision> {
    if cx.issue.seen.is_some() || cx.managed.run.is_some() || cx.managed.work.is_some() {
        return None;
    }
    let subject = Subject::Issue(cx.key.clone());
    let pending = cx.managed.commands.pending.iter().next();
    if let Some((id, pending)) = pending {
        // One that others name may be counted as resolved because it does not exist.
        let is_satisfied = pending.command == Command::Satisfy && pending.is_allowed;
        let unread = unread::why(cx, ReadOf::Issue);
        let refused = match &unread {
            _ if is_satisfied => Some(None),
            Some(why) => Some(Some(words::refused_unreadable(cx.key, why))),
            None if cx.issue.is_missing() => Some(Some(words::refused_no_such_issue(cx.key))),
            None => None,
        };
        if let Some(refused) = refused {
            return Some(Decision::moving(subject, Move::Commanded { id: *id, refused }));
        }
    }
    if cx.issue.is_missing() || unread::is_known(cx, ReadOf::Issue) {
        return Some(Decision::moving(subject, Move::Forgotten));
    }
    let mut decision = Decision::nothing(subject);
    decision.standing = Some(Standing::LooksForIssue);
    match cx.issue.gone.map(|gone| gone.since.plus(READ_LAG)) {
        // A replica may not know a new issue yet: it is asked again once reads have caught up.
        Some(at) if at > cx.now => decision.look_again(at),
        Some(_) | None => {
            let resource = Resource::Issue(cx.key.clone());
            decision.watch.push(Watch { resource, pace: Pace::Soon });
        }
    }
    Some(decision)
}
