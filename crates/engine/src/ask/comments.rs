//! Comments since an escalation: the one that answers it, and everything else that people with write access wrote.

use super::Reading;
use crate::ports::{Forge, ForgeComment, Read};
use ralph_core::command::Command;
use ralph_core::digest::Digest;
use ralph_core::excerpt::Excerpt;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandVia, Managed, PendingCommand, Phase, Slot};
use ralph_core::notes::{NOTE_BYTES_MAX, NOTES_MAX, Note};
use ralph_core::time::{Span, Time};
use ralph_core::{hidden_marker, resolution};
use std::collections::BTreeMap;

/// The forge compares the start of the list with its own clock, and ours may be minutes ahead. Ids decide which
/// comments are new; this only keeps the list short.
const SINCE_OVERLAP: Span = Span::from_mins(30);

/// Maximum number of authors whose rights one reading looks up, latest comments first, so that a crowd of strangers
/// does not cost a request each.
const AUTHORS_MAX: usize = 50;

/// The comments to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Awaited {
    /// The id of the escalation's comment.
    told: u64,
    /// Comments after this one may resolve the escalation; `None` if it is resolved.
    resolves_after: Option<u64>,
    since: Time,
}

/// Returns the comments to look for. An answer to an escalation is newer than the escalation's comment.
pub(super) fn awaited(managed: &Managed) -> Option<Awaited> {
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
    Some(Awaited { told, resolves_after, since: posted.at.minus(SINCE_OVERLAP) })
}

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (awaited, now): (&Awaited, Time),
    bot: &Login,
    forge: &mut dyn Forge,
) -> Read<()> {
    let mut comments = forge.comments_since(key, awaited.since)?;
    comments.retain(|comment| comment.id.0 > awaited.told && !is_ralphs(comment, bot));
    comments.sort_by_key(|comment| comment.id);
    let mut writers = Writers { known: BTreeMap::new(), key, forge };
    let noted = note(reading, &comments, now, &mut writers);
    if let Some(after) = awaited.resolves_after {
        resolve(reading, &comments, after, &mut writers);
    }
    noted
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
        match writers.include(&comment.author) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(unread) if unread.is_refused => {
                reading.missed.push(unread.why);
                continue;
            }
            Err(unread) => return Err(unread),
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
}
