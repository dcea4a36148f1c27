//! Everything that can become known. Facts are appended to the journal and folded into the world; nothing
//! else changes it, and a tick of the clock is not a fact.

mod observation;
mod outcome;
mod repository;
mod run_move;
mod subject;

pub use observation::Observation;
pub use outcome::{ConflictAt, Outcome};
pub use repository::{BuiltTrial, MarkMove, RepoObservation, RepoSettled, TrialMove};
pub use run_move::RunMove;
pub use subject::Subject;

use crate::digest::Digest;
use crate::ids::{Attempt, Branch, CommentId, IssueKey, PullNumber, RepoName, Sha};
use crate::issue::{Blocked, CommandId, DoneEvidence, Slot, StopReason};
use crate::label::Status;
use crate::lane::Entry;
use crate::managed_path::ManagedPath;
use crate::parent_verify::ParentVerify;
use crate::removal::RescueRef;
use crate::repo::Share;
use crate::rerun::RerunOf;
use crate::run::{EndReason, Head};
use crate::stall::Suspicion;
use crate::steps::Step;
use crate::stored::is_default;
use crate::survey::Proposal;
use crate::time::Time;
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
        /// The findings before the verdict, kept by their digest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<Digest>,
        /// An excerpt of them, for people.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        excerpt: String,
    },
    /// No valid verdict line, and why. What was said instead is kept by its digest.
    NoVerdict {
        why: String,
        #[serde(default)]
        said: Option<Digest>,
        /// An excerpt of it, for people.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        excerpt: String,
        /// A question that only a person can answer was asked all the same.
        #[serde(default, skip_serializing_if = "is_default")]
        gap: ProductGap,
    },
    Changed(Head),
    Unchanged,
    /// Whether anything is left of an issue whose children are resolved.
    Parent(Box<ParentVerify>),
    /// A merge was to be finished, and these files conflict still.
    Unresolved {
        files: Vec<String>,
    },
    /// Small fixes beside the task.
    Survey(Vec<Proposal>),
}

impl Answer {
    /// No verdict, and nothing that is worth keeping.
    #[must_use]
    pub const fn no_verdict(why: String) -> Self {
        Self::NoVerdict { why, said: None, excerpt: String::new(), gap: ProductGap::None }
    }
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
        /// The branch that it is from; `None`: it was not stored, and is the run's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<Branch>,
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
    /// The merge was called off: the bot branch has moved on to this head, which was not tested with it.
    BaseMoved {
        head: Sha,
    },
    /// A red check of this commit runs once more.
    CheckRerun(RerunOf),
    RerunRefused {
        what: RerunOf,
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
    /// A survey proposed it as a small fix, and Ralph has opened the issue itself.
    PapercutQueued,
    /// It is a sync pull request that conflicts with the bot branch.
    SyncConflicted {
        branch: Branch,
    },
    /// Its branch has the bot branch in it, as far as Ralph can bring it in: the repository goes on with it.
    SyncResolved {
        head: Option<Sha>,
    },
    Commanded {
        id: CommandId,
        refused: Option<String>,
    },
    /// Nothing is known of it but a command that was refused: it is as if none had been given.
    Forgotten,
    /// Ralph's home was moved, and its worktrees with it: from each place to the one that it has now.
    Rehomed {
        places: BTreeMap<ManagedPath, ManagedPath>,
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
    /// Of a repository.
    Trial(TrialMove),
    /// Of a repository.
    Mark(MarkMove),
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
