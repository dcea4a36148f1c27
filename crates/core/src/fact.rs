//! Facts: everything that can become known. They are appended to the journal and folded into the world; nothing else
//! changes the world, and a tick of the clock is not a fact.

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

use crate::account::AccountName;
use crate::books::Amount;
use crate::digest::Digest;
use crate::ids::{Attempt, Branch, CommentId, IssueKey, PullNumber, RepoName, Sha};
use crate::issue::{Blocked, CommandId, DoneEvidence, Slot, StopReason};
use crate::label::Status;
use crate::lane::Entry;
use crate::managed_path::ManagedPath;
use crate::messages::MessageId;
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
use crate::turn_end::TurnUse;
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

/// The facts of a process that is over: the messages that its program was given, then its outcome.
#[must_use]
pub fn finished(
    issue: &IssueKey,
    attempt: Attempt,
    heard: Vec<MessageId>,
    outcome: Outcome,
) -> Vec<Fact> {
    let given = |message| What::Settled(Settled::MessageGiven { attempt, message });
    let all = heard.into_iter().map(given).chain([What::Finished { attempt, outcome }]);
    all.map(|what| Fact::of(issue.clone(), what)).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A read of the forge about an issue.
    Seen(Observation),
    /// A read of the forge about a repository.
    RepoSeen(RepoObservation),
    /// The end of our own work.
    Finished { attempt: Attempt, outcome: Outcome },
    /// What a turn of ours has used and seen of its account's limits. Its end comes after it.
    Used { attempt: Attempt, used: TurnUse },
    /// Our own work may be about to stall; `None`: it makes progress again.
    Suspected { attempt: Attempt, suspicion: Option<Suspicion> },
    /// Ralph died during this work.
    Interrupted { attempt: Attempt },
    /// An effect took place or was refused.
    Settled(Settled),
    /// `decide` moved the issue on.
    Moved(Move),
}

/// The answer of an agent's turn, after Ralph has parsed its text or asked git.
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
    /// No valid verdict line, and the reason. The text that came instead is kept by its digest.
    NoVerdict {
        why: String,
        #[serde(default)]
        said: Option<Digest>,
        /// An excerpt of it, for people.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        excerpt: String,
        /// The question for a person that came without a verdict.
        #[serde(default, skip_serializing_if = "is_default")]
        gap: ProductGap,
    },
    Changed(Head),
    Unchanged,
    /// The verdict whether anything is left of an issue whose children are resolved.
    Parent(Box<ParentVerify>),
    /// The turn was to finish a merge, and these files still conflict.
    Unresolved {
        files: Vec<String>,
    },
    /// Small fixes beside the task.
    Survey(Vec<Proposal>),
}

impl Answer {
    /// No verdict, and no text worth keeping.
    #[must_use]
    pub const fn no_verdict(why: String) -> Self {
        Self::NoVerdict { why, said: None, excerpt: String::new(), gap: ProductGap::None }
    }
}

/// The result of an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// Not settled yet: a label write is about to be sent, and from now on its event may exist.
    LabelSent {
        label: Arc<str>,
        is_added: bool,
    },
    /// The label write was put off before it was sent.
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
    /// The comment to edit no longer exists.
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
    /// The program of this attempt has a message, in the turn under way.
    MessageGiven {
        attempt: Attempt,
        message: MessageId,
    },
    /// The program of this attempt takes no messages while it works.
    MessageRefused {
        attempt: Attempt,
        message: MessageId,
        reason: String,
    },
    /// A look-up found that an effect which is no longer desired never took place.
    NeverHappened {
        key: String,
    },
    Run(RunSettled),
    Repo(RepoSettled),
}

/// The result of an effect of a run.
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
        /// Its branch; `None`: not stored, and the run's own.
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
    /// The merge was cancelled: the bot branch has moved to this head, with which the change was not tested.
    BaseMoved {
        head: Sha,
    },
    /// A red check of this commit runs again.
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
    /// The run's own worktree was removed, because its issue is done.
    WorkspaceRemoved,
    /// A worktree was removed after everything in it that exists nowhere else was saved.
    WorktreeGivenUp {
        path: ManagedPath,
        rescued: Option<RescueRef>,
    },
    /// Removing a worktree was refused for good. Without a path it was the run's own.
    WorkspaceKept {
        reason: String,
        #[serde(default)]
        path: Option<ManagedPath>,
    },
}

/// A move that `decide` makes on its own authority; everything it is based on is in the world already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// An issue unknown to the store has one of Ralph's labels.
    Adopted {
        status: Status,
    },
    /// The issue was queued without a request, because its repository works on every open issue.
    AutoQueued,
    /// A survey proposed it as a small fix, and Ralph opened the issue.
    PapercutQueued,
    /// The issue is a sync pull request that conflicts with the bot branch.
    SyncConflicted {
        branch: Branch,
    },
    /// Its branch contains the bot branch, as far as Ralph can merge it: the repository continues with it.
    SyncResolved {
        head: Option<Sha>,
    },
    Commanded {
        id: CommandId,
        refused: Option<String>,
    },
    /// Nothing but a refused command is known of the issue: the store forgets it.
    Forgotten,
    /// Ralph's home and its worktrees were moved: maps each former path to the present one.
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
    /// Comments could not be read since the escalation was resolved; the run continues without them.
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
        /// The worktree that the step makes, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree: Option<ManagedPath>,
        /// The cost charged to its repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        share: Option<Share>,
        /// The account of a turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        account: Option<AccountName>,
        /// The amount that is reserved for a turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reserved: Option<Amount>,
        /// True for a turn that is tried although its account is limited.
        #[serde(default, skip_serializing_if = "is_default")]
        is_probe: bool,
    },
    /// The process under way is to be ended.
    Ending {
        reason: EndReason,
    },
    /// A lane begins a repair attempt, which counts.
    LaneEntered(Box<Entry>),
    Run(RunMove),
    /// About a repository.
    Trial(TrialMove),
    /// About a repository.
    Mark(MarkMove),
    Escalated {
        cause: Cause,
    },
    MergedToBot {
        pull: PullNumber,
        commit: Sha,
        batch: u32,
    },
    /// The merged rollup did not contain this change after all.
    Rebatched {
        batch: u32,
    },
    Done {
        evidence: DoneEvidence,
    },
}
