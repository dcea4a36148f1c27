//! Everything that can become known. Facts are appended to the journal and folded into the world; nothing
//! else changes it, and a tick of the clock is not a fact.

mod repository;
mod subject;

pub use repository::{RepoObservation, RepoSettled};
pub use subject::Subject;

use crate::digest::Digest;
use crate::gate::{Gate, GateRecord};
use crate::ids::{Attempt, CommentId, IssueKey, PullNumber, RepoName, Sha};
use crate::issue::{
    Blocked, CommandId, DoneEvidence, Found, Native, PendingCommand, Seen, Slot, StopReason,
};
use crate::label::Status;
use crate::label_book::OwnEvent;
use crate::lane::Entry;
use crate::managed_path::ManagedPath;
use crate::notes::Note;
use crate::parent_verify::ParentVerify;
use crate::pull::{Checks, Pull};
use crate::recipe::Step;
use crate::removal::RescueRef;
use crate::repo::Share;
use crate::run::{EndReason, Head};
use crate::stall::{Stall, Suspicion};
use crate::time::{Span, Time};
use crate::triage::Triage;
use crate::{escalation::Cause, product_gap::ProductGap, routing::Routing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub subject: Subject,
    pub what: What,
}

impl Fact {
    #[must_use]
    pub const fn of(issue: IssueKey, what: What) -> Self {
        Self { subject: Subject::Issue(issue), what }
    }

    #[must_use]
    pub const fn of_repo(repo: RepoName, what: What) -> Self {
        Self { subject: Subject::Repo(repo), what }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Read from the forge.
    Seen(Observation),
    /// Read from the forge, about a repository.
    RepoSeen(RepoObservation),
    /// Our own work came to an end.
    Finished { attempt: Attempt, outcome: Outcome },
    /// Our own work may be about to stall; `None`: it gets on again.
    Suspected { attempt: Attempt, suspicion: Option<Suspicion> },
    /// Ralph died while this work was under way.
    Interrupted { attempt: Attempt },
    /// An effect took place, or was refused.
    Settled(Settled),
    /// `decide` moved the issue on.
    Moved(Move),
}

/// What a read of the forge showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    Issue(Seen),
    /// The forge says there is no such issue.
    Gone,
    Native(Native),
    /// Label events up to an id, with the commands among them that are certainly a person's.
    Commands {
        up_to: u64,
        commands: BTreeMap<CommandId, PendingCommand>,
        /// Events under our own login that may be Ralph's, oldest first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own: Vec<OwnEvent>,
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
    Pull(Pull),
    Checks(Checks),
    /// The log of a red check of this commit was read.
    RedCheck {
        head: Sha,
        triage: Box<Triage>,
    },
    /// What there is to show for an issue that a label calls merged or done.
    Found(Found),
    /// Reachability of the merge from the default branch's head.
    Reach {
        default_head: Sha,
        evidence: Option<DoneEvidence>,
    },
}

/// How a piece of our own work ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    WorkspaceReady {
        path: ManagedPath,
        base: Sha,
        head: Option<Head>,
    },
    /// The base could not be merged into the branch.
    WorkspaceConflict {
        files: Vec<String>,
    },
    CommandsPassed {
        command: String,
    },
    CommandsFailed {
        command: String,
        excerpt: String,
    },
    Turn {
        answer: Answer,
        session: Option<String>,
        tokens: Option<u64>,
    },
    /// It ran past its limit and was ended.
    TimedOut {
        limit: Span,
    },
    /// A turn did not get anywhere and was ended, with the last lines it wrote.
    Stalled {
        seen: Stall,
        last: String,
        session: Option<String>,
    },
    /// The process could not start, or died.
    Failed {
        reason: String,
    },
}

/// What an agent's turn amounts to once Ralph has looked: parsed text, or git's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Plan {
        text: Digest,
        routing: Routing,
        gap: ProductGap,
    },
    Verdict {
        pass: bool,
        reason: String,
        gap: ProductGap,
    },
    /// No valid verdict line, and why. What was said instead is kept by its digest.
    NoVerdict {
        why: String,
        #[serde(default)]
        said: Option<Digest>,
    },
    Changed(Head),
    Unchanged,
    /// Whether anything is left of an issue whose children are resolved.
    Parent(Box<ParentVerify>),
}

/// What became of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// Not settled yet: a label write sets out, and from now on an event of it may be there.
    LabelSent {
        label: Arc<str>,
        is_added: bool,
    },
    /// It was put off unsent after all.
    LabelUnsent {
        label: Arc<str>,
    },
    LabelAdded(Arc<str>),
    LabelRemoved(Arc<str>),
    LabelRefused {
        label: Arc<str>,
        reason: String,
    },
    CommentPosted {
        slot: Slot,
        id: CommentId,
        body: Digest,
    },
    /// The comment to edit is not there any more.
    CommentGone {
        slot: Slot,
    },
    CommentRefused {
        slot: Slot,
        body: Digest,
        reason: String,
    },
    IssueClosed,
    CloseRefused {
        reason: String,
    },
    Started {
        attempt: Attempt,
    },
    Ended {
        attempt: Attempt,
    },
    /// A look-up found that a try nobody wants any more never took place.
    NeverHappened {
        key: String,
    },
    Run(RunSettled),
    Repo(RepoSettled),
}

/// What became of a step of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunSettled {
    Pushed {
        commit: Sha,
    },
    PushRefused {
        reason: String,
    },
    PullOpened {
        number: PullNumber,
    },
    PullRefused {
        reason: String,
    },
    Merged {
        number: PullNumber,
        commit: Sha,
    },
    MergeRefused {
        reason: String,
    },
    /// The forge has merged the base into the branch, or will.
    BranchUpdated,
    UpdateRefused {
        reason: String,
    },
    /// The run's own worktree, of an issue that is done.
    WorkspaceRemoved,
    /// A worktree was removed after everything in it that is nowhere else was saved.
    WorktreeGivenUp {
        path: ManagedPath,
        rescued: Option<RescueRef>,
    },
    /// Removing a worktree was refused for good. No path: it was the run's own.
    WorkspaceKept {
        reason: String,
        #[serde(default)]
        path: Option<ManagedPath>,
    },
}

/// A step that `decide` takes on its own authority, with everything it was based on already in the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// A label of ours on an issue the store knows nothing of.
    Adopted {
        status: Status,
    },
    /// Nobody asked for it, and its repository wants every open issue worked on.
    AutoQueued,
    Commanded {
        id: CommandId,
        refused: Option<String>,
    },
    /// A person took the queued label away before the claim.
    TakenOut,
    Stopped {
        why: StopReason,
    },
    Blocked {
        on: Option<Blocked>,
    },
    Claimed {
        share: Share,
    },
    Resumed,
    /// Comments could not be read since the escalation was resolved; the run goes on without them.
    AnswersUnread,
    Parked {
        at: Step,
    },
    Reached {
        step: Step,
    },
    Started {
        attempt: Attempt,
        step: Step,
        slot: u32,
        deadline: Time,
        /// The worktree that it makes, if it makes one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<ManagedPath>,
        /// What it costs its repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        share: Option<Share>,
    },
    /// The process under way is to be ended.
    Ending {
        reason: EndReason,
    },
    /// A repair is tried, and counted.
    LaneEntered(Box<Entry>),
    Run(RunMove),
    Escalated {
        cause: Cause,
    },
    MergedToBot {
        pull: PullNumber,
        commit: Sha,
        batch: u32,
    },
    /// The rollup that was merged did not contain this change after all.
    Rebatched {
        batch: u32,
    },
    Done {
        evidence: DoneEvidence,
    },
}

/// A move within a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunMove {
    Judged {
        gate: Gate,
        record: GateRecord,
    },
    /// Back to planning, with the reason the plan was rejected.
    Replan {
        reason: String,
    },
    /// Nobody could tell whether anything is left: it is worked on, with what was said.
    ParentSeeded {
        said: String,
    },
    /// Back to implementation, with what failed.
    Reimplement {
        reason: String,
    },
    /// The forge is asked to merge the base into this head, which is behind it.
    BringUpToDate {
        from: Sha,
    },
    /// The branch has moved by that: the worktree takes its new head.
    Refresh,
}
