//! Applies reads of the forge. Our own recent writes are laid over them, because reads lag.

use crate::command::Command;
use crate::dependency::BodyEdge;
use crate::fact::Observation;
use crate::issue::{
    CommandId, CommandVia, Commands, Gone, Issue, LabelBook, Managed, Native, PendingCommand,
    Phase, Reach, Relation, Seen,
};
use crate::label::{self, ManagedLabel, Status};
use crate::label_book::{OwnEvent, command_of};
use crate::lane::Lane;
use crate::pull::{Checks, Pull, PullState};
use crate::repo::BotMoves;
use crate::time::Time;
use crate::unread::{ReadOf, Unread};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) fn fold(now: Time, observation: &Observation, issue: &mut Issue, bot: BotMoves) {
    if let (Some(of), Some(managed)) = (read_by(observation), issue.managed.as_mut()) {
        managed.unread.remove(&of);
    }
    match observation {
        Observation::Issue(seen) => see(now, seen, issue),
        Observation::IssueInPart { seen, blocks } => {
            see(now, &completed(seen, blocks, issue), issue);
        }
        Observation::Gone => miss(now, issue),
        Observation::Native(native) => see_native(native, issue),
        Observation::Looked { at, is_partial } => look_at(*at, *is_partial, issue),
        Observation::Unread { of, why } => {
            if let Some(managed) = issue.managed.as_mut() {
                let new = Unread { why: why.clone(), since: now };
                let known = managed.unread.entry(*of).or_insert(new);
                known.why.clone_from(why);
            }
        }
        Observation::Commands { up_to, commands, own, withdrawn, is_partial } => {
            see_commands(now, (*up_to, *is_partial), (commands, withdrawn), own, issue);
        }
        Observation::EventsUnavailable => take_at_their_word(now, issue),
        Observation::Command { id, command } => {
            let Some(book) = command_book(now, true, issue) else { return };
            if id.is_local || id.id > book.comments_up_to {
                book.pending.insert(*id, command.clone());
            }
            if !id.is_local {
                book.comments_up_to = book.comments_up_to.max(id.id);
            }
        }
        Observation::Notes { .. } | Observation::Message(_) | Observation::CommentsRead { .. } => {
            hear(observation, issue);
        }
        Observation::Proof { found } => {
            if let Some(run) = issue.managed.as_mut().and_then(|managed| managed.run.as_mut()) {
                run.read_proof(found);
            }
        }
        Observation::Pull(pull) => see_pull(pull, issue, bot),
        Observation::Checks(checks) => see_checks(checks, issue),
        Observation::RedCheck { head, triage, of } => {
            if let Some(managed) = issue.managed.as_mut()
                && let Some(run) = managed.run.as_mut()
            {
                let is_first = managed.lanes.attempts(Lane::CiDebug).is_empty();
                run.learn_of_red_check(now, head, (triage, *of), is_first);
            }
        }
        Observation::Found(found) => {
            if issue.managed.is_none() {
                issue.found = Some(found.clone());
            }
        }
        // It is folded with its repository.
        Observation::Recalled(_) => {}
        Observation::Reach { default_head, evidence } => {
            if let Some(managed) = issue.managed.as_mut() {
                let (default_head, evidence) = (default_head.clone(), evidence.clone());
                managed.reach = Some(Reach { default_head, evidence });
            }
        }
    }
}

/// Takes in the words of people.
fn hear(observation: &Observation, issue: &mut Issue) {
    let Some(managed) = issue.managed.as_mut() else { return };
    if let Observation::Notes { at, notes } = observation {
        managed.notes.hear(*at, notes);
    } else if let Observation::Message(message) = observation {
        managed.messages.take_in(message);
    } else if let Observation::CommentsRead { up_to } = observation {
        managed.messages.comments_were_read(*up_to);
    }
}

fn miss(now: Time, issue: &mut Issue) {
    let is_closed = issue.seen.as_ref().is_some_and(|seen| !seen.open);
    let new = Gone { since: now, is_certain: false, was_closed: is_closed };
    let gone = issue.gone.unwrap_or(new);
    let is_certain = now >= gone.since.plus(super::READ_LAG);
    issue.gone = Some(Gone { is_certain, ..gone });
    if let (true, Some(seen)) = (is_certain, issue.seen.as_mut()) {
        seen.open = false;
    }
}

/// Records a look at the issue. A look from before the run began says nothing about it.
fn look_at(at: Time, is_partial: bool, issue: &mut Issue) {
    if let Some(managed) = issue.managed.as_mut()
        && let Some(run) = managed.run.as_mut()
        && at >= run.started
        && (!is_partial || run.met_at.is_some())
    {
        run.met_at = run.met_at.max(Some(at));
        managed.unread.remove(&ReadOf::Issue);
        if !is_partial {
            managed.unread.remove(&ReadOf::Relations);
        }
    }
}

/// The read that this observation shows to have succeeded.
const fn read_by(observation: &Observation) -> Option<ReadOf> {
    match observation {
        Observation::Issue(_) | Observation::IssueInPart { .. } | Observation::Gone => {
            Some(ReadOf::Issue)
        }
        Observation::Native(Native::Read { unread: None, .. } | Native::Unavailable) => {
            Some(ReadOf::Relations)
        }
        Observation::Notes { .. } | Observation::CommentsRead { .. } => Some(ReadOf::Comments),
        Observation::Pull(_) => Some(ReadOf::Pull),
        Observation::Checks(_) => Some(ReadOf::Checks),
        Observation::Reach { .. } => Some(ReadOf::Reach),
        Observation::Native(Native::Read { .. } | Native::Unread)
        | Observation::Unread { .. }
        | Observation::Looked { .. }
        | Observation::Commands { .. }
        | Observation::EventsUnavailable
        | Observation::Command { .. }
        | Observation::Message(_)
        | Observation::RedCheck { .. }
        | Observation::Found(_)
        | Observation::Recalled(_)
        | Observation::Proof { .. } => None,
    }
}

/// The issue, completed by the known edges whose author's rights could not be read.
fn completed(seen: &Seen, unread: &[BodyEdge], issue: &Issue) -> Seen {
    let known = issue.seen.iter().flat_map(|seen| &seen.blocks);
    let known: BTreeSet<_> = known.map(|edge| &edge.on).collect();
    let mut seen = seen.clone();
    seen.blocks.extend(unread.iter().filter(|edge| known.contains(&edge.on)).cloned());
    seen
}

fn see_commands(
    now: Time,
    (up_to, is_partial): (u64, bool),
    (commands, withdrawn): (&BTreeMap<CommandId, PendingCommand>, &BTreeSet<u64>),
    own: &[OwnEvent],
    issue: &mut Issue,
) {
    let is_asked =
        !commands.is_empty() || own.iter().any(|event| event.is_added) || has_queued_label(issue);
    if command_book(now, is_asked, issue).is_none() {
        return;
    }
    let Some(managed) = issue.managed.as_mut() else { return };
    let known = &managed.commands.taken_in;
    let mut commands = commands.clone();
    commands.retain(|id, _| !known.contains(id.id));
    let own: Vec<_> = own.iter().filter(|event| !known.contains(event.id.id)).cloned().collect();
    let ids: Vec<_> = commands.keys().chain(own.iter().map(|event| &event.id)).copied().collect();
    for event in &own {
        if !managed.labels.explains(event) {
            take_as_a_persons(event, &mut commands);
        }
    }
    managed.commands.forget_queued_anew(&own, &mut commands);
    let book = &mut managed.commands;
    let ids = ids.iter().map(|id| id.id).chain(withdrawn.iter().copied());
    ids.for_each(|id| book.taken_in.insert(id));
    book.taken_in.up_to(up_to);
    // In any other phase a queued label is a manual edit, and the events may show it long after it was repaired.
    let hears_commands = matches!(managed.phase, Phase::Out | Phase::Escalated { .. });
    commands.retain(|_, given| hears_commands || given.via != CommandVia::QueuedLabel);
    let blind_until = book.blind_until;
    commands.retain(|id, _| blind_until.is_none_or(|until| id.at > until));
    book.pending.append(&mut commands);
    if !is_partial {
        managed.labels.events_were_read(now);
        book.read_at = Some(now);
        book.reread_after = book.reread_after.filter(|at| *at > now);
    }
}

/// Takes an event that none of our writes explains as the operator's, who shares our login.
fn take_as_a_persons(event: &OwnEvent, commands: &mut BTreeMap<CommandId, PendingCommand>) {
    let Some((command, via)) = command_of(&event.label) else { return };
    if event.is_added && !event.is_withdrawn {
        // A person who shares our login may do what we may.
        let (actor, is_allowed) = (Some(event.actor.clone()), true);
        commands.insert(event.id, PendingCommand::plain(command, actor, is_allowed, via));
    } else if !event.is_added {
        let is_withdrawn = |id: &CommandId, given: &PendingCommand| {
            id.id < event.id.id && given.command == command && given.via == via
        };
        commands.retain(|id, given| !is_withdrawn(id, given));
    }
}

fn see(now: Time, seen: &Seen, issue: &mut Issue) {
    if issue.seen.as_ref().is_some_and(|known| known.updated > seen.updated) {
        return;
    }
    issue.gone = None;
    let mut seen = seen.clone();
    if let Some(managed) = issue.managed.as_mut() {
        lay_echoes_over(now, &mut managed.labels, &mut seen);
        note_labels(now, managed, &seen);
        // From then on an open issue is a reopened one.
        if let (false, Phase::Done { is_closed, .. }) = (seen.open, &mut managed.phase) {
            *is_closed = true;
        }
        // Once reads have caught up, a label that is not there needs no clearing.
        managed.commands.clearing.retain(|command, handled| {
            handled.plus(super::READ_LAG) > now
                || seen.labels.iter().any(|label| label.eq_ignore_ascii_case(command.label()))
        });
    }
    issue.seen = Some(seen);
    // Evidence found for a label counts only while that label is there.
    let found = issue.found.take();
    issue.found = found.filter(|_| {
        matches!(label::adopted_status(issue.labels()), Some(Status::InBot | Status::Done))
    });
}

fn lay_echoes_over(now: Time, book: &mut LabelBook, seen: &mut Seen) {
    book.echoes.retain(|echo| echo.until > now);
    book.contradicted_until = None;
    for echo in &book.echoes {
        let is_same = |label: &Arc<str>| label.eq_ignore_ascii_case(&echo.label);
        if echo.is_present == seen.labels.iter().any(is_same) {
            continue;
        }
        book.contradicted_until = book.contradicted_until.max(Some(echo.until));
        if echo.is_present {
            seen.labels.insert(echo.label.clone());
        } else {
            seen.labels.retain(|label| !is_same(label));
        }
    }
}

/// Records what the labels say: a confirmed status, and a queued label that may be a command.
pub(super) fn note_labels(now: Time, managed: &mut Managed, seen: &Seen) {
    let wanted = managed.status();
    let shows = |status: Status| {
        let named = |label: &str| match label::parse(label) {
            Some(ManagedLabel::Status(s) | ManagedLabel::LegacyStatus(s)) => s == status,
            Some(ManagedLabel::Command(_) | ManagedLabel::Priority(_)) | None => false,
        };
        seen.labels.iter().any(|label| named(label))
    };
    // A label that Ralph may be removing at this moment is not confirmed: its absence would say nothing.
    let is_going = wanted.is_some_and(|status| managed.labels.is_taking_off(now, status.label()));
    if wanted.is_some_and(shows) && !is_going {
        managed.labels.is_confirmed = true;
    }
    managed.labels.queued_seen_at =
        shows(Status::Queued).then(|| managed.labels.queued_seen_at.unwrap_or(now));
}

/// Takes in native relations. A list older than the known one says nothing new, and one that could not be read leaves
/// what is known.
fn see_native(native: &Native, issue: &mut Issue) {
    let Native::Read { blocked_by, children, at, unread } = native else {
        issue.native = native.clone();
        return;
    };
    let (mut blocked_by, mut children, mut unread) =
        (blocked_by.clone(), children.clone(), *unread);
    if let Native::Read { blocked_by: a, children: b, at: known, unread: lacks } = &issue.native {
        match unread.filter(|unread| Some(*unread) != *lacks) {
            Some(Relation::BlockedBy) => blocked_by.clone_from(a),
            Some(Relation::Children) => children.clone_from(b),
            None => {}
        }
        unread = unread.filter(|unread| Some(*unread) == *lacks);
        let is_same = (a, b, lacks) == (&blocked_by, &children, &unread);
        if at < known || is_same {
            return;
        }
    }
    issue.native = Native::Read { blocked_by, children, at: *at, unread };
}

/// Takes labels whose events cannot be read as commands without an actor: `stop` before `pause` before the rest.
/// `decide/command.rs` says which of them are obeyed.
fn take_at_their_word(now: Time, issue: &mut Issue) {
    let has = |command: &Command| issue.has_label(command.label());
    let [queue, pause, stop, satisfy] = Command::ALL;
    let present: Vec<_> = [stop, pause, queue, satisfy].into_iter().filter(has).collect();
    let is_asked = !present.is_empty() || has_queued_label(issue);
    let updated = issue.seen.as_ref().map(|seen| seen.updated);
    let Some(book) = command_book(now, is_asked, issue) else { return };
    let is_known = |command: &Command, book: &Commands| {
        let mut pending = book.pending.values();
        book.clearing.contains_key(command) || pending.any(|known| known.command == *command)
    };
    let mut commands: Vec<_> = present
        .into_iter()
        .filter(|command| !is_known(command, book))
        .map(|command| (command, CommandVia::CommandLabel))
        .collect();
    let read_at = book.read_at.replace(now);
    book.reread_after = book.reread_after.filter(|at| *at > now);
    book.blind_until = updated.max(book.blind_until);
    let Some(managed) = issue.managed.as_mut() else { return };
    let queued_seen_at = managed.labels.queued_seen_at.filter(|_| managed.phase == Phase::Out);
    if queued_seen_at.is_some_and(|seen| read_at.is_none_or(|read| read < seen)) {
        commands.push((Command::Queue, CommandVia::QueuedLabel));
    }
    for (rank, (command, via)) in (0..).zip(commands) {
        let is_allowed = matches!(command, Command::Stop | Command::Pause);
        let id = CommandId { at: now, id: rank, is_local: false };
        managed.commands.pending.insert(id, PendingCommand::plain(command, None, is_allowed, via));
    }
}

fn has_queued_label(issue: &Issue) -> bool {
    label::adopted_status(issue.labels()) == Some(Status::Queued)
}

/// The command book of an issue. An issue that Ralph does not manage gets one with its first command.
fn command_book(now: Time, is_asked: bool, issue: &mut Issue) -> Option<&mut Commands> {
    if issue.managed.is_none() && is_asked {
        let mut managed = Managed::new(Phase::Out, now);
        if let Some(seen) = &issue.seen {
            note_labels(now, &mut managed, seen);
        }
        issue.managed = Some(Box::new(managed));
    }
    issue.managed.as_mut().map(|managed| &mut managed.commands)
}

fn see_pull(pull: &Pull, issue: &mut Issue, bot: BotMoves) {
    let Some(managed) = issue.managed.as_mut() else { return };
    if let Some(run) = managed.run.as_mut().filter(|run| run.pull == Some(pull.number)) {
        run.is_pull_inherited &= pull.state == PullState::Closed || pull.read_at < run.started;
    }
    let Some(known) = managed.pull.take() else {
        managed.pull = Some(pull.clone());
        return;
    };
    let is_stale =
        known.number > pull.number || (known.number == pull.number && known.read_at > pull.read_at);
    let checks = known.checks.clone().filter(|checks| checks.head == pull.head);
    let seen = Pull { checks, ..pull.clone() };
    // Once a run has seen it settled, an unchanged later read is no news.
    let is_settled = managed.run.as_ref().is_some_and(|run| known.read_at > run.settles_at());
    let is_settled = is_settled && bot.holds_since(known.read_at);
    let is_same = Pull { read_at: known.read_at, ..seen.clone() } == known;
    managed.pull = Some(if is_stale || is_settled && is_same { known } else { seen });
}

fn see_checks(checks: &Checks, issue: &mut Issue) {
    let Some(pull) = issue.managed.as_mut().and_then(|managed| managed.pull.as_mut()) else {
        return;
    };
    if pull.head == checks.head {
        pull.checks = Some(checks.clone());
    }
}
