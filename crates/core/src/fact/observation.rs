//! Observations: what reads of the forge show of an issue.

use crate::dependency::BodyEdge;
use crate::ids::Sha;
use crate::issue::{CommandId, DoneEvidence, Found, Native, PendingCommand, Seen};
use crate::label_book::OwnEvent;
use crate::messages::Message;
use crate::notes::Note;
use crate::pull::{Checks, Pull};
use crate::recall::Recalled;
use crate::rerun::Rerunnable;
use crate::time::Time;
use crate::triage::Triage;
use crate::unread::ReadOf;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An observation of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    Issue(Seen),
    /// The same, except that the author's rights could not be read for some of the issues that its body declares
    /// blocked by it: what was known of these stays.
    IssueInPart {
        seen: Seen,
        blocks: Vec<BodyEdge>,
    },
    /// The forge says there is no such issue.
    Gone,
    Native(Native),
    /// The issue existed in a read that was requested at this time.
    Looked {
        at: Time,
        /// Its blockers were not read, so this does not count as the first read of a run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_partial: bool,
    },
    /// Something could not be read.
    Unread {
        of: ReadOf,
        why: String,
    },
    /// New label events, with the commands among them that certainly come from a person.
    Commands {
        /// All events up to this id have been taken in.
        up_to: u64,
        commands: BTreeMap<CommandId, PendingCommand>,
        /// Events under our own login that may be Ralph's, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own: Vec<OwnEvent>,
        /// Commands that the person took back before they were read. A replica that lags may show such a command again,
        /// not yet taken back.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        withdrawn: BTreeSet<u64>,
        /// The rights of some actors could not be read: their events come later.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_partial: bool,
    },
    /// The forge keeps no label events of this issue, so its labels count by themselves.
    EventsUnavailable,
    /// A command from the command line or a resolving comment; it has no label.
    Command {
        id: CommandId,
        command: PendingCommand,
    },
    /// Comments of people with write access since an escalation, in a read that was requested at this time.
    Notes {
        at: Time,
        notes: Vec<Note>,
    },
    /// A person's message to the agents of the issue.
    Message(Message),
    /// All comments up to this id were read, and those that are messages taken in.
    CommentsRead {
        up_to: u64,
    },
    /// The addresses in a verdict that exist and belong to a resolved child.
    Proof {
        found: Vec<String>,
    },
    Pull(Pull),
    Checks(Checks),
    /// The log of a red check of this commit.
    RedCheck {
        head: Sha,
        triage: Box<Triage>,
        /// The check run or job that can be rerun.
        #[serde(default)]
        of: Option<Rerunnable>,
    },
    /// The evidence for an issue that a label calls merged or done.
    Found(Found),
    /// The forge's knowledge of an issue, looked up because this store may be older.
    Recalled(Box<Recalled>),
    /// Reachability of the merge from the default branch's head.
    Reach {
        default_head: Sha,
        evidence: Option<DoneEvidence>,
    },
}
