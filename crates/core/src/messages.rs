//! Messages of people to the agents that work on an issue. Each waits until a turn has taken it in: it is given to a
//! turn, and counts as accepted once that turn ends with an answer. If the turn dies, the message waits again.

use crate::digest::Digest;
use crate::ids::{Attempt, Login, RunId};
use crate::issue::{Managed, Phase};
use crate::policy::RepoPolicy;
use crate::steps::Step;
use crate::stored::is_default;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest message: a page of instructions. Longer ones belong into the issue or a file of the repository.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024;
/// The most messages that may wait, and that one turn gets: together they fill no prompt.
pub const MESSAGES_WAITING_MAX: usize = 16;
/// Accepted messages that are kept, the newest, so that people can see where they went.
const ACCEPTED_MAX: usize = 20;

/// The origin of a message, which is its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageId {
    /// Given on this machine, by its number in the inbox.
    Tell(u64),
    /// A comment on the issue, by its id.
    Comment(u64),
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tell(id) => write!(f, "tell-{id}"),
            Self::Comment(id) => write!(f, "comment-{id}"),
        }
    }
}

/// A message as it arrived, by the digest of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    pub from: Login,
    pub text: Digest,
    pub at: Time,
}

/// A message and its delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMessage {
    #[serde(flatten)]
    pub message: Message,
    pub delivery: Delivery,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// No turn has it.
    Waiting,
    /// A turn under way has it.
    Given(Given),
    /// The turn that had it ended with an answer.
    Accepted(Given),
}

/// The turn that a message was given to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    pub attempt: Attempt,
    pub step: Step,
    pub run: RunId,
    pub way: Way,
    pub at: Time,
}

/// The way in which a message reaches an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// In the prompt of a turn.
    Prompt,
    /// While the turn was under way.
    SameTurn,
}

/// The messages of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Messages {
    /// In the order of arrival.
    pub kept: Vec<KeptMessage>,
    /// The newest message from this machine that was taken in.
    #[serde(default, skip_serializing_if = "is_default")]
    tells_up_to: u64,
    /// The newest comment that was looked at.
    #[serde(default, skip_serializing_if = "is_default")]
    comments_up_to: u64,
}

impl Messages {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The messages that no turn has, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Message> {
        let waits = |kept: &&KeptMessage| kept.delivery == Delivery::Waiting;
        self.kept.iter().filter(waits).map(|kept| &kept.message)
    }

    /// The newest comment that was looked at.
    #[must_use]
    pub const fn comments_up_to(&self) -> u64 {
        self.comments_up_to
    }

    /// True if no more may wait.
    #[must_use]
    pub fn are_full(&self) -> bool {
        self.waiting().count() >= MESSAGES_WAITING_MAX
    }

    /// The messages in the prompt of an attempt, oldest first.
    pub(crate) fn in_prompt_of(&self, attempt: Attempt) -> impl Iterator<Item = &Message> {
        let is_in = move |kept: &&KeptMessage| {
            matches!(&kept.delivery, Delivery::Given(given)
                if given.attempt == attempt && given.way == Way::Prompt)
        };
        self.kept.iter().filter(is_in).map(|kept| &kept.message)
    }

    /// Takes in a message, once. If too many wait, a comment is left for a later read.
    pub(crate) fn take_in(&mut self, message: &Message) {
        let is_full = self.are_full();
        let (id, up_to) = match message.id {
            MessageId::Tell(id) => (id, &mut self.tells_up_to),
            MessageId::Comment(id) => (id, &mut self.comments_up_to),
        };
        if id > *up_to && !is_full {
            *up_to = id;
            let message = message.clone();
            self.kept.push(KeptMessage { message, delivery: Delivery::Waiting });
        }
    }

    /// Skips comments that are no messages. If too many messages wait, a later read looks at them again.
    pub(crate) fn comments_were_read(&mut self, up_to: u64) {
        if !self.are_full() {
            self.comments_up_to = self.comments_up_to.max(up_to);
        }
    }

    /// Gives every message that waits to a turn that is about to start.
    pub(crate) fn give_all(&mut self, to: &Given) {
        for kept in self.kept.iter_mut().filter(|kept| kept.delivery == Delivery::Waiting) {
            kept.delivery = Delivery::Given(to.clone());
        }
    }

    /// Gives one message to the turn under way.
    pub(crate) fn give(&mut self, id: MessageId, to: Given) {
        let is_meant =
            |kept: &&mut KeptMessage| kept.message.id == id && kept.delivery == Delivery::Waiting;
        if let Some(kept) = self.kept.iter_mut().find(is_meant) {
            kept.delivery = Delivery::Given(to);
        }
    }

    /// Records that a turn ended with an answer: it has accepted what it was given.
    pub(crate) fn accept(&mut self, attempt: Attempt) {
        for kept in &mut self.kept {
            if let Delivery::Given(given) = &kept.delivery
                && given.attempt == attempt
            {
                kept.delivery = Delivery::Accepted(given.clone());
            }
        }
        let is_accepted = |kept: &KeptMessage| matches!(kept.delivery, Delivery::Accepted(_));
        let accepted = self.kept.iter().filter(|kept| is_accepted(kept)).count();
        let mut surplus = accepted.saturating_sub(ACCEPTED_MAX);
        self.kept.retain(|kept| {
            let is_dropped = surplus > 0 && is_accepted(kept);
            surplus -= usize::from(is_dropped);
            !is_dropped
        });
    }

    /// Takes back what was given to a turn that is over without an answer.
    pub(crate) fn take_back(&mut self, under_way: Option<Attempt>) {
        for kept in &mut self.kept {
            if matches!(&kept.delivery, Delivery::Given(given) if Some(given.attempt) != under_way)
            {
                kept.delivery = Delivery::Waiting;
            }
        }
    }
}

/// True if comments on this issue are messages to its agents now.
#[must_use]
pub fn is_steered_by_comments(managed: &Managed, rules: &RepoPolicy) -> bool {
    let is_running = matches!(managed.phase, Phase::Running { .. });
    is_running && rules.steer_by_comment && managed.sync.is_none() && managed.run.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64) -> Message {
        let (from, text) = (Login::new("alice"), Digest::of("use the other library"));
        Message { id: MessageId::Tell(id), from, text, at: Time(0) }
    }

    fn to(attempt: u32) -> Given {
        let (attempt, run) = (Attempt(attempt), RunId { issue: 7, run: 1 });
        Given { attempt, step: Step::Implement, run, way: Way::Prompt, at: Time(1) }
    }

    #[test]
    fn a_message_counts_once_and_waits_until_a_turn_has_accepted_it() {
        let mut messages = Messages::default();
        messages.take_in(&message(1));
        messages.take_in(&message(1));
        assert_eq!(messages.waiting().count(), 1);
        messages.give_all(&to(4));
        assert_eq!((messages.waiting().count(), messages.in_prompt_of(Attempt(4)).count()), (0, 1));
        messages.take_back(Some(Attempt(4)));
        assert_eq!(messages.waiting().count(), 0, "its turn is under way");
        messages.take_back(None);
        assert_eq!(messages.waiting().count(), 1, "its turn died");
        messages.give_all(&to(5));
        messages.accept(Attempt(5));
        messages.take_back(None);
        messages.take_in(&message(1));
        assert_eq!(messages.waiting().count(), 0);
        assert_eq!(messages.kept.len(), 1, "where it went can be seen");
    }

    #[test]
    fn a_comment_counts_once_and_one_that_finds_no_room_is_read_again() {
        let mut messages = Messages::default();
        let comment = |id| Message { id: MessageId::Comment(id), ..message(0) };
        (1..=16).for_each(|id| messages.take_in(&comment(id)));
        messages.take_in(&comment(17));
        messages.comments_were_read(18);
        assert_eq!(messages.comments_up_to(), 16, "no room for the last one");
        messages.give_all(&to(1));
        messages.accept(Attempt(1));
        messages.take_in(&comment(17));
        messages.comments_were_read(18);
        assert_eq!((messages.waiting().count(), messages.comments_up_to()), (1, 18));
        messages.take_in(&comment(17));
        assert_eq!(messages.waiting().count(), 1, "edited or read again, it is the same");
    }

    #[test]
    fn only_so_many_messages_wait_and_only_so_many_accepted_ones_are_kept() {
        let mut messages = Messages::default();
        (1..=20).for_each(|id| messages.take_in(&message(id)));
        assert_eq!(messages.waiting().count(), MESSAGES_WAITING_MAX);
        for attempt in 1..=3 {
            (1..=20).for_each(|id| messages.take_in(&message(u64::from(attempt) * 100 + id)));
            messages.give_all(&to(attempt));
            messages.accept(Attempt(attempt));
        }
        assert_eq!(messages.kept.len(), ACCEPTED_MAX);
        let last = messages.kept.last().map(|kept| kept.message.id);
        assert_eq!(last, Some(MessageId::Tell(316)));
    }
}
