//! The effect of a person's command, once it is decided.

use super::moved::enter;
use crate::command::{Command, Manner};
use crate::issue::{
    CommandId, CommandResult, CommandVia, Managed, PendingCommand, Phase, Seen, Slot, StopReason,
};
use crate::time::Time;

/// Records that a label is present: the command's event proves it, whatever our own last write of it was.
pub(super) fn proved(managed: &mut Managed, seen: &mut Seen, label: Option<&'static str>) {
    if let Some(label) = label {
        managed.labels.echoes.retain(|echo| !echo.label.eq_ignore_ascii_case(label));
        seen.labels.insert(label.into());
    }
}

/// Answers a command. Returns the label it came with, if any.
pub(super) fn commanded(
    now: Time,
    id: CommandId,
    refused: Option<&str>,
    managed: &mut Managed,
    satisfied: &mut bool,
) -> Option<&'static str> {
    let pending = managed.commands.pending.remove(&id)?;
    let is_by_event = pending.is_by_label_event();
    if refused.is_none() && is_by_event && pending.command != Command::Satisfy {
        managed.commands.decided = managed.commands.decided.max(Some(id));
    }
    let manner = match refused {
        None => obey(now, id, &pending, managed, satisfied),
        Some(_) => pending.manner,
    };
    let PendingCommand { command, actor, via, .. } = pending;
    let (by_label, by_hand) = match via {
        CommandVia::CommandLabel => (true, true),
        CommandVia::CommandLine => (false, true),
        CommandVia::QueuedLabel | CommandVia::Comment => (false, false),
    };
    if by_label {
        managed.commands.clearing.insert(command, now);
    }
    if by_hand || refused.is_some() {
        let refused = refused.map(str::to_owned);
        managed.commands.last = Some(CommandResult { id, command, actor, refused, manner });
    }
    by_label.then(|| command.label())
}

/// Obeys a command. Returns the manner in which it was obeyed.
fn obey(
    now: Time,
    id: CommandId,
    pending: &PendingCommand,
    managed: &mut Managed,
    satisfied: &mut bool,
) -> Manner {
    let mut manner = pending.manner;
    match pending.command {
        Command::Satisfy => {
            // A label has no other form: applied again, it undoes what it did.
            if pending.via == CommandVia::CommandLabel && *satisfied {
                manner = Manner::Undo;
            }
            *satisfied = manner != Manner::Undo;
        }
        Command::Stop => enter(now, managed, Phase::Stopped { why: StopReason::Command }),
        Command::Pause => {
            managed.is_paused = true;
            managed.labels.is_confirmed = false;
        }
        Command::Queue => {
            // A sync pull request has neither a plan nor another branch.
            if managed.sync.is_some() {
                manner = Manner::Plain;
            }
            queue(now, id, manner, managed);
        }
    }
    manner
}

/// Clears stop, pause, escalation, counters and blocked metadata. A process still under way keeps its run, unless a
/// fresh start is asked for. An issue that is done has nothing to continue, so it starts over.
fn queue(now: Time, id: CommandId, manner: Manner, managed: &mut Managed) {
    let is_done = matches!(managed.phase, Phase::Done { .. });
    let is_fresh = manner == Manner::Fresh || (is_done && managed.sync.is_none());
    managed.begins_afresh |= is_fresh;
    if let Some(run) = managed.run.as_mut().filter(|_| is_done) {
        // The earlier merge has arrived; it does not count for this round.
        run.merged = None;
        run.contradict_verdict();
    }
    let was_paused = std::mem::take(&mut managed.is_paused);
    managed.blocked = None;
    let is_running = matches!(managed.phase, Phase::Running { .. });
    if is_running && !is_fresh && (!was_paused || managed.work.is_some()) {
        if let Some(run) = managed.run.as_mut().filter(|_| was_paused) {
            run.starts_counting_anew();
            managed.lanes.clear();
            managed.labels.is_confirmed = false;
        }
        return;
    }
    managed.lanes.clear();
    let is_waiting = match managed.phase {
        Phase::Queued => true,
        Phase::Parked { .. } => !is_fresh,
        Phase::Out
        | Phase::Running { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => false,
    };
    if let (true, Some(run)) = (is_waiting, managed.run.as_mut()) {
        run.starts_counting_anew();
    }
    if let Phase::Escalated { episode, .. } = managed.phase {
        let told = managed.comments.get(&Slot::Escalation { episode });
        if told.is_some_and(|told| told.id.is_some()) {
            managed.notes.resume(now, episode);
        }
    }
    if !is_waiting {
        managed.queued_at = id.at;
        enter(now, managed, Phase::Queued);
    }
    managed.labels.is_confirmed = false;
}
