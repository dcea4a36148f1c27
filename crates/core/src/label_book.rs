//! The record of our own label writes: those that reads may not show yet, and which label events under our login are
//! Ralph's. With a personal token Ralph and the operator share a login, so the login alone does not decide.

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

/// After this time the events show a write that was sent, or it never arrived: the longest wait for an answer plus the
/// lag of reads, with room to spare.
const EVENT_LAG: Span = Span::from_mins(5);
/// Writes kept per issue. More are under way only while the forge answers none of them.
const SENT_MAX: usize = 16;

/// The effects of our recent label writes, for comparison with reads that lag behind them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LabelBook {
    #[serde(default, skip_serializing_if = "is_default")]
    pub echoes: Vec<Echo>,
    /// A read contradicted an echo: a lagging replica, or a person. Ralph reads again once the echo has expired.
    #[serde(default, skip_serializing_if = "is_default")]
    pub contradicted_until: Option<Time>,
    /// The desired status label was seen or set since it became desired.
    pub is_confirmed: bool,
    /// The time since when there is a queued label that may be a person's command.
    #[serde(default, skip_serializing_if = "is_default")]
    pub queued_seen_at: Option<Time>,
    /// Consecutive refusals of label writes; `retry_at` is the time of the next try.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refusals: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry_at: Option<Time>,
    /// The label that was refused last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refused: Option<Arc<str>>,
    /// Writes of labels that can also be a person's command, and whose events were not read yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<SentLabel>,
}

/// Our own write. For a while, a read that does not show it is stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    pub label: Arc<str>,
    pub is_present: bool,
    pub until: Time,
}

/// A label write that was sent. If it arrives and changes something, there will be an event under our login.
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

/// A label event under our own login that may be Ralph's or the operator's: only the label book can tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnEvent {
    pub id: CommandId,
    pub actor: Login,
    pub label: Arc<str>,
    pub is_added: bool,
    /// Another account took the label away again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_withdrawn: bool,
}

/// Returns the command that a person gives by putting this label on an issue.
#[must_use]
pub fn command_of(label: &str) -> Option<(Command, CommandVia)> {
    match label::parse(label)? {
        ManagedLabel::Command(command) => Some((command, CommandVia::CommandLabel)),
        ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued) => {
            Some((Command::Queue, CommandVia::QueuedLabel))
        }
        ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Priority(_) => None,
    }
}

/// Returns the fact that a label write is about to be sent, so that its event is recognised as ours.
#[must_use]
pub fn sets_out(effect: &Effect) -> Option<Fact> {
    let (label, is_added) = written(effect)?;
    let what = What::Settled(Settled::LabelSent { label: label.clone(), is_added });
    Some(Fact { subject: effect.subject(), what })
}

/// Returns the fact that the write was not sent after all.
#[must_use]
pub fn was_not_sent(effect: &Effect) -> Option<Fact> {
    let (label, _) = written(effect)?;
    let what = What::Settled(Settled::LabelUnsent { label: label.clone() });
    Some(Fact { subject: effect.subject(), what })
}

/// Returns the label that an effect adds or removes, if a person could give a command by it.
fn written(effect: &Effect) -> Option<(&Arc<str>, bool)> {
    let (label, is_added) = match effect {
        Effect::Issue(_, IssueAct::AddLabel { label }) => (label, true),
        Effect::Issue(_, IssueAct::RemoveLabel { label }) => (label, false),
        Effect::Issue(..) | Effect::Repo(..) | Effect::Machine(..) => return None,
    };
    command_of(label).map(|_| (label, is_added))
}

impl LabelBook {
    /// Records a write. It is kept before the request is sent, so a crash cannot come in between.
    pub(crate) fn sends(&mut self, now: Time, label: &Arc<str>, is_added: bool) {
        if self.sent.len() >= SENT_MAX {
            self.sent.remove(0);
        }
        self.sent.push(SentLabel { label: label.clone(), is_added, at: now });
    }

    /// Removes the latest write of this label, which is known not to have happened.
    pub(crate) fn takes_back(&mut self, label: &str) {
        let latest = self.sent.iter().rposition(|sent| sent.label.eq_ignore_ascii_case(label));
        if let Some(latest) = latest {
            self.sent.remove(latest);
        }
    }

    /// True if Ralph sent a write that would cause an event of this kind.
    #[must_use]
    pub fn has_sent(&self, label: &str, is_added: bool) -> bool {
        self.sent.iter().any(|sent| sent.is(label, is_added))
    }

    /// True if Ralph's latest write of this label was recent and removed it.
    pub(crate) fn is_taking_off(&self, now: Time, label: &str) -> bool {
        let mut sent = self.sent.iter().rev();
        let last = sent.find(|sent| sent.label.eq_ignore_ascii_case(label));
        last.is_some_and(|sent| !sent.is_added && now < sent.at.plus(READ_LAG))
    }

    /// True if this event is Ralph's own. Each addition explains only the first matching event, so that a person who
    /// adds the label again is heeded. A removal explains all of them: in doubt no person's command is withdrawn.
    pub(crate) fn explains(&mut self, event: &OwnEvent) -> bool {
        let is_it = |sent: &SentLabel| sent.is(&event.label, event.is_added);
        let Some(at) = self.sent.iter().position(is_it) else { return false };
        if event.is_added {
            self.sent.remove(at);
        }
        true
    }

    /// Forgets old writes once the events were read: their events have been seen or will never come.
    pub(crate) fn events_were_read(&mut self, now: Time) {
        self.sent.retain(|sent| now < sent.at.plus(EVENT_LAG));
    }
}
