//! Operator commands: which comes next, and whether it can be obeyed.

use super::Context;
use crate::command::Command;
use crate::fact::Move;
use crate::issue::{PendingCommand, Phase};
use crate::words;

/// The oldest command that was not answered yet.
pub(super) fn next(cx: &Context<'_>) -> Option<Move> {
    let (id, pending) = cx.managed.commands.pending.iter().next()?;
    let refused = refusal(cx, pending);
    Some(Move::Commanded { id: *id, refused })
}

fn refusal(cx: &Context<'_>, pending: &PendingCommand) -> Option<String> {
    let PendingCommand { command, actor, is_allowed, .. } = pending;
    if !is_allowed {
        return Some(words::refused_no_right(actor));
    }
    let is_closed = cx.issue.seen.as_ref().is_some_and(|seen| !seen.open);
    match (command, &cx.managed.phase) {
        (Command::Satisfy, _) => None,
        (Command::Queue, Phase::InBot { .. } | Phase::Done { .. }) => {
            Some(words::REFUSED_MERGED.to_owned())
        }
        (Command::Queue, _) if is_closed => Some(words::REFUSED_CLOSED.to_owned()),
        (
            Command::Queue,
            Phase::Out
            | Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. },
        ) => None,
        (Command::Pause, Phase::Queued | Phase::Running { .. } | Phase::Parked { .. }) => None,
        (
            Command::Pause,
            phase @ (Phase::Out
            | Phase::Escalated { .. }
            | Phase::Stopped { .. }
            | Phase::InBot { .. }
            | Phase::Done { .. }),
        ) => Some(words::refused_nothing_to(Command::Pause, phase)),
        (
            Command::Stop,
            Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. },
        ) => None,
        (Command::Stop, phase @ (Phase::Out | Phase::InBot { .. } | Phase::Done { .. })) => {
            Some(words::refused_nothing_to(Command::Stop, phase))
        }
    }
}
