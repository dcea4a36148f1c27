//! What reads of the forge show of an issue.

use crate::dependency::BodyEdge;
use crate::ids::Sha;
use crate::issue::{CommandId, DoneEvidence, Found, Native, PendingCommand, Seen};
use crate::label_book::OwnEvent;
use crate::notes::Note;
use crate::pull::{Checks, Pull};
use crate::recall::Recalled;
use crate::rerun::Rerunnable;
use crate::time::Time;
use crate::triage::Triage;
use crate::unread::ReadOf;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a read of the forge showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    Issue(Seen),
    /// The same, except that the author's rights could not be read for some of the issues that its body says wait
    /// for it: what was known of these stays.
    IssueInPart {
        seen: Seen,
        blocks: Vec<BodyEdge>,
    },
    /// The forge says there is no such issue.
    Gone,
    Native(Native),
    /// The issue was there when it was asked for at this time.
    Looked {
        at: Time,
        /// What blocks it was not read, which counts for a run that was never looked at.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_partial: bool,
    },
    /// Something could not be read.
    Unread {
        of: ReadOf,
        why: String,
    },
    /// Label events that were not taken in before, with the commands among them that are certainly a person's.
    Commands {
        /// None up to this id is left.
        up_to: u64,
        commands: BTreeMap<CommandId, PendingCommand>,
        /// Events under our own login that may be Ralph's, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own: Vec<OwnEvent>,
        /// Commands that the person took back before they were read. A replica that lags behind may show one again
        /// without that.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        withdrawn: BTreeSet<u64>,
        /// The rights of some actors could not be read: their events are still to come.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_partial: bool,
    },
    /// The forge keeps no label events of this issue: its labels have to be taken at their word.
    EventsUnavailable,
    /// A command from the command line or a resolving comment; no label goes with it.
    Command {
        id: CommandId,
        command: PendingCommand,
    },
    /// What people with write access wrote since an escalation, in a read that was asked for at this time.
    Notes {
        at: Time,
        notes: Vec<Note>,
    },
    /// The addresses behind which there is what a verdict rests on: something of a child's, resolved.
    Proof {
        found: Vec<String>,
    },
    Pull(Pull),
    Checks(Checks),
    /// The log of a red check of this commit was read.
    RedCheck {
        head: Sha,
        triage: Box<Triage>,
        /// What could be run once more.
        #[serde(default)]
        of: Option<Rerunnable>,
    },
    /// What there is to show for an issue that a label calls merged or done.
    Found(Found),
    /// Knowledge of the forge about an issue, looked up because this store may be older.
    Recalled(Box<Recalled>),
    /// Reachability of the merge from the default branch's head.
    Reach {
        default_head: Sha,
        evidence: Option<DoneEvidence>,
    },
}
