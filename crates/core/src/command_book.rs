//! The record of operator commands: those given, their order and their results.

use crate::command::{Command, Manner};
use crate::ids::Login;
use crate::issue::{Phase, UnreadableKey};
use crate::label_book::OwnEvent;
use crate::stored::is_default;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Operator commands, by the event that gave them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Commands {
    /// Label events that have been taken in.
    #[serde(flatten)]
    pub taken_in: TakenIn,
    /// The last time that label events were read.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_at: Option<Time>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pending: BTreeMap<CommandId, PendingCommand>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub last: Option<CommandResult>,
    /// Handled commands whose label is to be taken away, and when they were handled.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clearing: BTreeMap<Command, Time>,
    /// The time after which the events must be read again: a command label was taken away, and a person may have
    /// applied it again before that.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reread_after: Option<Time>,
    /// Only `queue` can have been applied again, on a queued issue, so the read is not urgent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reread_when_claimed: bool,
    /// Resolving comments up to this id have been taken in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub comments_up_to: u64,
    /// The forge's time up to which labels counted without their events, because the events could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blind_until: Option<Time>,
    /// The latest command by label that was obeyed and decided whether the issue is worked on. An earlier one that the
    /// forge shows only now comes too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<CommandId>,
}

/// Label events remembered by id, for each issue. A person gives a handful of commands.
const TAKEN_IN_MAX: usize = 256;

/// The label events that have been taken in. The forge may show one later than others with larger ids, so the largest
/// id alone does not suffice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TakenIn {
    /// All events up to this id have been taken in: those of an earlier version, and the oldest beyond the limit.
    pub seen_up_to: u64,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    taken: BTreeSet<u64>,
}

impl TakenIn {
    #[must_use]
    pub fn contains(&self, id: u64) -> bool {
        id <= self.seen_up_to || self.taken.contains(&id)
    }

    pub(crate) fn insert(&mut self, id: u64) {
        if !self.contains(id) {
            self.taken.insert(id);
        }
        while self.taken.len() > TAKEN_IN_MAX {
            self.seen_up_to = self.taken.pop_first().unwrap_or_default().max(self.seen_up_to);
        }
    }

    /// Takes over the largest id, the only one that an earlier version kept.
    pub(crate) fn up_to(&mut self, id: u64) {
        self.seen_up_to = self.seen_up_to.max(id);
        self.taken.retain(|taken| *taken > id);
    }
}

impl Commands {
    /// True if the events must be read again, given the issue's phase.
    #[must_use]
    pub fn rereads(&self, phase: &Phase) -> bool {
        let has_time = self.reread_when_claimed && *phase == Phase::Queued;
        self.reread_after.is_some() && !has_time
    }

    /// Drops `queue` commands whose label was applied again before Ralph took it off a queued issue: they have what
    /// they ask for, unless another command came in between.
    pub(crate) fn forget_queued_anew(
        &self,
        own: &[OwnEvent],
        commands: &mut BTreeMap<CommandId, PendingCommand>,
    ) {
        let is_it = |event: &&OwnEvent| {
            !event.is_added && Command::from_label(&event.label) == Some(Command::Queue)
        };
        let taken_off = own.iter().filter(is_it).map(|event| event.id.id).max();
        let is_open = self.reread_after.is_some() && self.reread_when_claimed;
        let Some(taken_off) = taken_off.filter(|_| is_open) else { return };
        while let Some(first) = commands.first_entry()
            && first.key().id < taken_off
            && first.get().is_queue_label()
        {
            first.remove();
        }
    }

    /// Notes that the label of a handled command is gone.
    pub(crate) fn cleared(&mut self, label: &str, phase: &Phase, reread_after: Time) {
        let is_it = |command: &Command| command.label().eq_ignore_ascii_case(label);
        let Some(command) = self.clearing.keys().find(|command| is_it(command)).copied() else {
            return;
        };
        self.clearing.remove(&command);
        let is_harmless = command == Command::Queue && *phase == Phase::Queued;
        let may_wait = self.reread_after.is_none() || self.reread_when_claimed;
        self.reread_when_claimed = is_harmless && may_wait;
        self.reread_after = Some(reread_after);
    }
}

/// Identity and order of a command: the moment and the id of the event that applied it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct CommandId {
    pub at: Time,
    pub id: u64,
    pub is_local: bool,
}

impl From<CommandId> for String {
    fn from(id: CommandId) -> Self {
        let source = if id.is_local { "local" } else { "forge" };
        format!("{}/{}/{source}", id.at.0, id.id)
    }
}

impl TryFrom<String> for CommandId {
    type Error = UnreadableKey;

    fn try_from(text: String) -> Result<Self, UnreadableKey> {
        let mut parts = text.splitn(3, '/');
        let mut part = || parts.next().unwrap_or_default();
        match (part().parse(), part().parse(), part()) {
            (Ok(at), Ok(id), source) => Ok(Self { at: Time(at), id, is_local: source == "local" }),
            (Err(_), _, _) | (_, Err(_), _) => Err(UnreadableKey(text)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCommand {
    pub command: Command,
    /// The person who gave it; `None` if the forge does not say.
    pub actor: Option<Login>,
    /// True if this person may give commands here.
    pub is_allowed: bool,
    /// The way it was given: by command label, by re-adding the queued label, by a comment or on the command line.
    pub via: CommandVia,
    #[serde(default, skip_serializing_if = "is_default")]
    pub manner: Manner,
}

impl PendingCommand {
    /// A command in its plain form.
    #[must_use]
    pub const fn plain(
        command: Command,
        actor: Option<Login>,
        is_allowed: bool,
        via: CommandVia,
    ) -> Self {
        Self { command, actor, is_allowed, via, manner: Manner::Plain }
    }

    /// True if the command changes only the store: that an issue counts as resolved is not written to the forge, so the
    /// issue need not be readable.
    pub(crate) fn is_kept_here(&self) -> bool {
        self.command == Command::Satisfy && self.is_allowed
    }

    /// True if it was given by a label whose event is known.
    pub(crate) const fn is_by_label_event(&self) -> bool {
        match self.via {
            CommandVia::CommandLabel | CommandVia::QueuedLabel => self.actor.is_some(),
            CommandVia::Comment | CommandVia::CommandLine => false,
        }
    }

    /// True if it is a `queue` given by its own label.
    fn is_queue_label(&self) -> bool {
        self.command == Command::Queue && self.via == CommandVia::CommandLabel
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandVia {
    CommandLabel,
    QueuedLabel,
    Comment,
    CommandLine,
}

/// The latest command and its result, shown in the one result comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandResult {
    pub id: CommandId,
    pub command: Command,
    #[serde(default, skip_serializing_if = "is_default")]
    pub actor: Option<Login>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub refused: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub manner: Manner,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_remembered_one_by_one_and_the_oldest_of_too_many_make_a_floor() {
        let mut taken = TakenIn::default();
        taken.insert(70);
        assert!(taken.contains(70) && !taken.contains(5), "a smaller id may come later");
        (100..100 + TAKEN_IN_MAX as u64).for_each(|id| taken.insert(id));
        assert!(taken.contains(5), "but not for ever");
        assert_eq!((taken.seen_up_to, taken.taken.len()), (70, TAKEN_IN_MAX));
    }

    #[test]
    fn a_book_that_knew_the_largest_id_only_goes_on_from_there() {
        let book: Commands = serde_json::from_str(r#"{"seen_up_to":9}"#).unwrap();
        assert!(book.taken_in.contains(9) && !book.taken_in.contains(10));
        let text = serde_json::to_string(&book).unwrap();
        assert_eq!(text, r#"{"seen_up_to":9}"#);
    }
}
