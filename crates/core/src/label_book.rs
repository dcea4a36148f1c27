//! The book on our own label writes: what reads may not show yet, and which label events under our own login
//! are Ralph's. With a personal token Ralph and the operator share a login, so the login alone says nothing.

use crate::command::Command;
use crate::command_book::{CommandId, CommandVia};
use crate::effect::{Effect, IssueAct};
use crate::fact::{Fact, Settled, What};
use crate::fold::READ_LAG;
use crate::ids::Login;
use crate::label::{self, ManagedLabel, Status};
use crate::stored::is_default;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// By then the events show a write that set out, or it never arrived: the longest wait for an answer and the
/// lag of reads, with room to spare.
const EVENT_LAG: Span = Span::from_mins(5);
/// Writes kept per issue. More are under way only while the forge answers none of them.
const SENT_MAX: usize = 16;

/// What our own label writes have done lately, against reads that lag behind them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LabelBook {
    #[serde(default, skip_serializing_if = "is_default")]
    pub echoes: Vec<Echo>,
    /// A read contradicted an echo: a lagging replica, or a person. Read again once the echo has died away.
    #[serde(default, skip_serializing_if = "is_default")]
    pub contradicted_until: Option<Time>,
    /// The wanted status label was seen or set since it became wanted.
    pub is_confirmed: bool,
    /// Since when a queued label is there that may be a person's wish.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queued_seen_at: Option<Time>,
    /// Consecutive refusals of label writes, and when to try again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refusals: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry_at: Option<Time>,
    /// The label that was refused last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refused: Option<Arc<str>>,
    /// Writes of labels that can be a person's wish, and whose events were not read yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<SentLabel>,
}

/// For a while after our own write, a read that does not show it is a stale read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    pub label: Arc<str>,
    pub is_present: bool,
    pub until: Time,
}

/// A label write that set out. If it arrives and changes something, there will be an event under our login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentLabel {
    pub label: Arc<str>,
    pub is_added: bool,
    pub at: Time,
}

impl SentLabel {
    fn is(&self, label: &str, is_added: bool) -> bool {
        self.is_added == is_added && self.label.eq_ignore_ascii_case(label)
    }
}

/// A label event under our own login that may be Ralph's or the operator's: only the book can tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnEvent {
    pub id: CommandId,
    pub actor: Login,
    pub label: Arc<str>,
    pub is_added: bool,
    /// Somebody else took the label away again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_withdrawn: bool,
}

/// What a person who puts this label on an issue asks for.
#[must_use]
pub fn wish(label: &str) -> Option<(Command, CommandVia)> {
    match label::parse(label)? {
        ManagedLabel::Command(command) => Some((command, CommandVia::CommandLabel)),
        ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued) => {
            Some((Command::Queue, CommandVia::QueuedLabel))
        }
        ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Priority(_) => None,
    }
}

/// The fact that a label write sets out of which an event under our login may tell.
#[must_use]
pub fn sets_out(effect: &Effect) -> Option<Fact> {
    let (label, is_added) = written(effect)?;
    let what = What::Settled(Settled::LabelSent { label: label.clone(), is_added });
    Some(Fact { subject: effect.subject(), what })
}

/// The fact that it was not sent after all.
#[must_use]
pub fn was_not_sent(effect: &Effect) -> Option<Fact> {
    let (label, _) = written(effect)?;
    let what = What::Settled(Settled::LabelUnsent { label: label.clone() });
    Some(Fact { subject: effect.subject(), what })
}

/// The label that an effect puts on or takes off, if a person could wish for something by it.
fn written(effect: &Effect) -> Option<(&Arc<str>, bool)> {
    let (label, is_added) = match effect {
        Effect::Issue(_, IssueAct::AddLabel { label }) => (label, true),
        Effect::Issue(_, IssueAct::RemoveLabel { label }) => (label, false),
        Effect::Issue(..) | Effect::Repo(..) | Effect::Machine(..) => return None,
    };
    wish(label).map(|_| (label, is_added))
}

impl LabelBook {
    /// A write sets out. Kept before the request is sent, so a crash cannot come in between.
    pub(crate) fn sends(&mut self, now: Time, label: &Arc<str>, is_added: bool) {
        if self.sent.len() >= SENT_MAX {
            self.sent.remove(0);
        }
        self.sent.push(SentLabel { label: label.clone(), is_added, at: now });
    }

    /// The latest write of this label is known not to have happened.
    pub(crate) fn takes_back(&mut self, label: &str) {
        let latest = self.sent.iter().rposition(|sent| sent.label.eq_ignore_ascii_case(label));
        if let Some(latest) = latest {
            self.sent.remove(latest);
        }
    }

    /// Has a write of ours set out that an event of this kind would tell of?
    #[must_use]
    pub fn has_sent(&self, label: &str, is_added: bool) -> bool {
        self.sent.iter().any(|sent| sent.is(label, is_added))
    }

    /// Has Ralph lately set out to take this label off, and not to put it on again?
    pub(crate) fn is_taking_off(&self, now: Time, label: &str) -> bool {
        let mut sent = self.sent.iter().rev();
        let last = sent.find(|sent| sent.label.eq_ignore_ascii_case(label));
        last.is_some_and(|sent| !sent.is_added && now < sent.at.plus(READ_LAG))
    }

    /// Is this event Ralph's own? Each addition explains one event, the first that comes: a person who puts the
    /// label on once more is heard. A removal explains them all: when in doubt nobody's command is withdrawn.
    pub(crate) fn explains(&mut self, event: &OwnEvent) -> bool {
        let is_it = |sent: &SentLabel| sent.is(&event.label, event.is_added);
        let Some(at) = self.sent.iter().position(is_it) else { return false };
        if event.is_added {
            self.sent.remove(at);
        }
        true
    }

    /// The events were read: what set out long enough before has shown itself or never will.
    pub(crate) fn events_were_read(&mut self, now: Time) {
        self.sent.retain(|sent| now < sent.at.plus(EVENT_LAG));
    }
}
