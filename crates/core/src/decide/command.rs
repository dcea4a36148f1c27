//! Operator commands: which comes next, and whether it can be obeyed.

use super::{Context, sync_lane};
use crate::command::{Command, Manner};
use crate::fact::Move;
use crate::issue::{CommandId, PendingCommand, Phase};
use crate::words;

/// The answer to the oldest pending command.
pub(super) fn next(cx: &Context<'_>) -> Option<Move> {
    let (id, pending) = cx.managed.commands.pending.iter().next()?;
    let refused = overtaken(cx, *id, pending).or_else(|| refusal(cx, pending));
    Some(Move::Commanded { id: *id, refused })
}

/// Refuses a command that a later one has overtaken. The last command decides, even if the forge shows an earlier one
/// only after the last was obeyed.
fn overtaken(cx: &Context<'_>, id: CommandId, pending: &PendingCommand) -> Option<String> {
    let is_late = cx.managed.commands.decided.is_some_and(|decided| id < decided);
    let decides = pending.is_by_label_event() && pending.command != Command::Satisfy;
    (is_late && decides).then(|| words::REFUSED_OVERTAKEN.to_owned())
}

/// The reason to refuse a command; `None` if it is obeyed.
///
/// If the forge keeps no label events, neither the order of labels nor who applied them is known, and rights need an
/// actor. Then `stop` and `pause` are obeyed, `stop` first: holding back needs no proof of a right, and an issue that
/// is not managed refuses both anyway. `queue`, `satisfy` and a queued label on an issue out of the queue are refused
/// and removed, and the answer names the command line instead. On an escalated issue a queued label then counts as a
/// leftover of Ralph's own and is removed.
fn refusal(cx: &Context<'_>, pending: &PendingCommand) -> Option<String> {
    let PendingCommand { command, actor, is_allowed, manner, .. } = pending;
    match actor {
        Some(actor) if !is_allowed => return Some(words::refused_no_right(actor)),
        None if !is_allowed => return Some(words::refused_unknown_actor(cx.key, *command)),
        Some(_) | None => {}
    }
    let goes_on = cx.managed.phase.goes_on() && cx.issue.is_closed_by_ralph();
    let is_closed = cx.issue.is_closed() && !goes_on;
    match (command, &cx.managed.phase) {
        (Command::Satisfy, _) if *manner == Manner::Undo && !cx.issue.satisfied => {
            Some(words::REFUSED_NOT_SATISFIED.to_owned())
        }
        (Command::Satisfy, _) => None,
        (Command::Queue, _) if cx.issue.is_pull() && !sync_lane::is_open(cx) => {
            Some(words::REFUSED_PULL.to_owned())
        }
        (Command::Queue, Phase::InBot { .. }) => Some(words::REFUSED_MERGED.to_owned()),
        (Command::Queue, _) if is_closed => Some(words::REFUSED_CLOSED.to_owned()),
        (Command::Queue, Phase::Done { is_closed: false, .. }) => {
            Some(words::REFUSED_CLOSING.to_owned())
        }
        (
            Command::Queue,
            Phase::Out
            | Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. }
            | Phase::Done { .. },
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
