//! Comments of people with write access: since an escalation, the one that answers it and everything else; during a run,
//! messages to its agents.

use super::Reading;
use crate::ports::{Forge, ForgeComment, Read};
use ralph_core::command::Command;
use ralph_core::digest::Digest;
use ralph_core::excerpt::Excerpt;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandVia, Managed, PendingCommand, Phase, Slot};
use ralph_core::messages::{MESSAGE_BYTES_MAX, Message, MessageId, is_steered_by_comments};
use ralph_core::notes::{NOTE_BYTES_MAX, NOTES_MAX, Note};
use ralph_core::policy::RepoPolicy;
use ralph_core::time::{Span, Time};
use ralph_core::{hidden_marker, resolution};
use std::collections::BTreeMap;

/// The forge compares the start of the list with its own clock, and ours may be minutes ahead. Ids decide which
/// comments are new; this only keeps the list short.
const SINCE_OVERLAP: Span = Span::from_mins(30);

/// Maximum number of authors whose rights one reading looks up, latest comments first, so that a crowd of strangers
/// does not cost a request each.
const AUTHORS_MAX: usize = 50;

/// The time by which the forge's clock may be behind ours: a comment from right before a run counts as one during it.
const CLOCK_SKEW: Span = Span::from_mins(5);

/// The comments to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// Since an escalation.
    Answers(Answers),
    /// During a run, as messages to its agents.
    Messages {
        /// Comments up to this one were looked at.
        after: u64,
        started: Time,
    },
}

/// Comments since an escalation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answers {
    /// The id of the escalation's comment.
    told: u64,
    /// Comments after this one may resolve the escalation; `None` if it is resolved.
    resolves_after: Option<u64>,
    since: Time,
}

/// Returns the comments to look for. Those that may answer an escalation come first: they are no messages.
pub(super) fn awaited(managed: &Managed, rules: Option<&RepoPolicy>) -> Option<Awaited> {
    let messages = || {
        let is_steered = rules.is_some_and(|rules| is_steered_by_comments(managed, rules));
        let run = managed.run.as_ref().filter(|_| is_steered)?;
        let noted = managed.notes.kept.last().map_or(0, |note| note.id.0);
        let known = [managed.messages.comments_up_to(), managed.commands.comments_up_to];
        let after = known.into_iter().fold(noted, u64::max);
        Some(Awaited::Messages { after, started: run.started })
    };
    answers(managed).map(Awaited::Answers).or_else(messages)
}

/// The comments that may answer an escalation: they are newer than the escalation's comment.
fn answers(managed: &Managed) -> Option<Answers> {
    let unheard = managed.notes.unheard.map(|unheard| unheard.episode);
    let (episode, is_open) = match managed.phase {
        Phase::Escalated { episode, .. } => (episode, true),
        Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => (unheard?, false),
    };
    let posted = managed.comments.get(&Slot::Escalation { episode })?;
    let told = posted.id?.0;
    let resolves_after = is_open.then_some(told.max(managed.commands.comments_up_to));
    Some(Answers { told, resolves_after, since: posted.at.minus(SINCE_OVERLAP) })
}

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (awaited, now): (&Awaited, Time),
    bot: &Login,
    forge: &mut dyn Forge,
) -> Read<()> {
    let (since, after) = match awaited {
        Awaited::Answers(answers) => (answers.since, answers.told),
        Awaited::Messages { after, started } => (started.minus(SINCE_OVERLAP), *after),
    };
    let mut comments = forge.comments_since(key, since)?;
    comments.retain(|comment| comment.id.0 > after && !is_ralphs(comment, bot));
    comments.sort_by_key(|comment| comment.id);
    let mut writers = Writers { known: BTreeMap::new(), key, forge };
    match awaited {
        Awaited::Answers(answers) => {
            let noted = note(reading, &comments, now, &mut writers);
            if let Some(after) = answers.resolves_after {
                resolve(reading, &comments, after, &mut writers);
            }
            noted
        }
        Awaited::Messages { started, .. } => {
            comments.retain(|comment| comment.created.plus(CLOCK_SKEW) >= *started);
            hand_on(reading, &comments, &mut writers)
        }
    }
}

/// Takes the comments of people with write access as messages to the agents, oldest first. A comment whose author cannot
/// be looked up now keeps the later ones waiting, so that their order stays.
fn hand_on(
    reading: &mut Reading,
    comments: &[ForgeComment],
    writers: &mut Writers<'_>,
) -> Read<()> {
    let mut up_to = None;
    for comment in comments {
        if writers.known.len() >= AUTHORS_MAX {
            break;
        }
        let may_write = is_message(comment) && writers.include_or_miss(&comment.author, reading)?;
        up_to = Some(comment.id.0);
        if may_write {
            let text = String::from(Excerpt::of(comment.body.trim(), MESSAGE_BYTES_MAX));
            let (id, from) = (MessageId::Comment(comment.id.0), comment.author.clone());
            let message = Message { id, from, text: Digest::of(&text), at: comment.created };
            reading.texts.push((message.text, text));
            let seen = Observation::Message(message);
            reading.facts.push(Fact::of(writers.key.clone(), What::Seen(seen)));
        }
    }
    let read = up_to.map(|up_to| Observation::CommentsRead { up_to });
    reading.facts.extend(read.map(|seen| Fact::of(writers.key.clone(), What::Seen(seen))));
    Ok(())
}

/// True for a person's words that are neither empty nor an answer to an escalation.
fn is_message(comment: &ForgeComment) -> bool {
    let is_program = comment.author.as_str().ends_with("[bot]");
    !is_program && !comment.body.trim().is_empty() && resolution::manner(&comment.body).is_none()
}

/// Takes the newest comments by people with write access as notes.
fn note(
    reading: &mut Reading,
    comments: &[ForgeComment],
    at: Time,
    writers: &mut Writers<'_>,
) -> Read<()> {
    let mut notes = Vec::new();
    for comment in comments.iter().rev() {
        if notes.len() >= NOTES_MAX || writers.known.len() >= AUTHORS_MAX {
            break;
        }
        if comment.body.trim().is_empty() {
            continue;
        }
        if !writers.include_or_miss(&comment.author, reading)? {
            continue;
        }
        let text = String::from(Excerpt::of(&comment.body, NOTE_BYTES_MAX));
        let digest = Digest::of(&text);
        notes.push(Note { id: comment.id, author: comment.author.clone(), text: digest });
        reading.texts.push((digest, text));
    }
    notes.reverse();
    let seen = Observation::Notes { at, notes };
    reading.facts.push(Fact::of(writers.key.clone(), What::Seen(seen)));
    Ok(())
}

/// Takes the first comment that resolves the escalation and whose author has write access. An author who cannot be
/// looked up does not hold up the others.
fn resolve(
    reading: &mut Reading,
    comments: &[ForgeComment],
    after: u64,
    writers: &mut Writers<'_>,
) {
    for comment in comments.iter().filter(|comment| is_answer(comment, after)) {
        let may_write = writers.include(&comment.author).unwrap_or_else(|unread| {
            reading.missed.push(unread.why);
            false
        });
        if may_write {
            let id = CommandId { at: comment.created, id: comment.id.0, is_local: false };
            let command = PendingCommand {
                command: Command::Queue,
                actor: Some(comment.author.clone()),
                is_allowed: true,
                via: CommandVia::Comment,
                manner: resolution::manner(&comment.body).unwrap_or_default(),
            };
            let seen = Observation::Command { id, command };
            reading.facts.push(Fact::of(writers.key.clone(), What::Seen(seen)));
            break;
        }
    }
}

fn is_ralphs(comment: &ForgeComment, bot: &Login) -> bool {
    comment.author == *bot && hidden_marker::find(&comment.body).is_some()
}

/// True if the comment is new and was not edited.
fn is_answer(comment: &ForgeComment, after: u64) -> bool {
    let is_edited = comment.updated > comment.created;
    comment.id.0 > after && !is_edited && resolution::manner(&comment.body).is_some()
}

/// People with write access to the repository; the forge is asked once for each.
struct Writers<'a> {
    known: BTreeMap<Login, bool>,
    key: &'a IssueKey,
    forge: &'a mut dyn Forge,
}

impl Writers<'_> {
    fn include(&mut self, author: &Login) -> Read<bool> {
        if let Some(known) = self.known.get(author) {
            return Ok(*known);
        }
        let may_write = self.forge.rights(&self.key.repo, author)?.push;
        self.known.insert(author.clone(), may_write);
        Ok(may_write)
    }

    /// As `include`; an author whose rights the forge refuses to show has none.
    fn include_or_miss(&mut self, author: &Login, reading: &mut Reading) -> Read<bool> {
        match self.include(author) {
            Err(unread) if unread.is_refused => {
                reading.missed.push(unread.why);
                Ok(false)
            }
            known => known,
        }
    }
}
