//! Comments of people with write access since an escalation, for the run that continues.

use crate::digest::Digest;
use crate::fold::READ_LAG;
use crate::ids::{CommentId, Login};
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// Notes kept of one issue, the newest: enough for a discussion, few enough for a prompt.
pub const NOTES_MAX: usize = 10;
/// Longest note that is kept: an answer, not a book.
pub const NOTE_BYTES_MAX: usize = 4_000;
/// Longest wait of a turn for comments that cannot be read: longer than a busy forge is busy, and short enough that one
/// broken endpoint does not stop a run.
pub(crate) const UNHEARD_MAX: Span = Span::from_mins(10);

/// A comment, by the digest of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub id: CommentId,
    pub author: Login,
    pub text: Digest,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Notes {
    /// The newest ones, oldest first.
    pub kept: Vec<Note>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheard: Option<Unheard>,
}

/// A resolved escalation whose answers may not all have been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unheard {
    pub episode: u32,
    /// The time of the resolution.
    pub since: Time,
    /// Comments were read after that; a replica that lags may have missed the last ones.
    pub is_read: bool,
}

impl Notes {
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.unheard.is_none()
    }

    /// True if answers were not read since the escalation was resolved.
    #[must_use]
    pub const fn is_unread(&self) -> bool {
        matches!(self.unheard, Some(Unheard { is_read: false, .. }))
    }

    pub(crate) const fn resume(&mut self, now: Time, episode: u32) {
        self.unheard = Some(Unheard { episode, since: now, is_read: false });
    }

    /// Takes in the notes of a read that was requested at this time.
    pub(crate) fn hear(&mut self, at: Time, notes: &[Note]) {
        for note in notes {
            match self.kept.iter_mut().find(|known| known.id == note.id) {
                Some(known) => known.clone_from(note),
                None => self.kept.push(note.clone()),
            }
        }
        self.kept.sort_by_key(|note| note.id);
        self.kept.drain(..self.kept.len().saturating_sub(NOTES_MAX));
        self.unheard = self.unheard.filter(|unheard| at < unheard.since.plus(READ_LAG));
        if let Some(unheard) = self.unheard.as_mut() {
            unheard.is_read |= at >= unheard.since;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(id: u64, text: &str) -> Note {
        Note { id: CommentId(id), author: Login::new("alice"), text: Digest::of(text) }
    }

    #[test]
    fn the_newest_notes_are_kept_each_once_and_as_last_written() {
        let mut notes = Notes::default();
        let many: Vec<_> = (1..=12).map(|id| note(id, "first")).collect();
        notes.hear(Time(0), &many);
        let ids = |notes: &Notes| notes.kept.iter().map(|note| note.id.0).collect::<Vec<_>>();
        assert_eq!(ids(&notes), (3..=12).collect::<Vec<_>>());
        notes.hear(Time(1), &many);
        notes.hear(Time(2), &[note(12, "reworded"), note(11, "first")]);
        assert_eq!(ids(&notes), (3..=12).collect::<Vec<_>>());
        assert_eq!(notes.kept.last(), Some(&note(12, "reworded")));
    }

    #[test]
    fn a_read_counts_by_when_it_was_asked_for() {
        let mut notes = Notes::default();
        let resolved = Time(100_000);
        notes.resume(resolved, 1);
        notes.hear(Time(99_999), &[]);
        assert!(notes.is_unread(), "asked before the escalation was resolved");
        notes.hear(resolved, &[]);
        assert!(!notes.is_unread() && notes.unheard.is_some(), "a replica may lag");
        notes.hear(resolved.plus(READ_LAG), &[]);
        assert_eq!(notes.unheard, None);
    }
}
