//! The state of one issue: what the forge showed, what blocks it and, once it was queued, Ralph's progress with it.

mod blocked;
mod merging;
mod posted;
mod seen;
mod slot;
mod under_way;

pub use blocked::{Blocked, BlockedSource};
pub use posted::Posted;
pub use seen::{Gone, Native, Relation, Seen};
pub use slot::{Slot, UnreadableKey};

use crate::budget::IssueUse;
pub use crate::command_book::{
    CommandId, CommandResult, CommandVia, Commands, PendingCommand, TakenIn,
};
use crate::escalation::Cause;
use crate::ids::{Attempt, Branch, CommentId, PullNumber, Sha};
use crate::label::{self, Priority, Status};
pub use crate::label_book::{Echo, LabelBook};
use crate::lane::Lanes;
use crate::managed_path::ManagedPath;
use crate::messages::Messages;
use crate::notes::Notes;
use crate::pull::Pull;
use crate::run::{Run, Work};
use crate::steps::Step;
use crate::stored::is_default;
use crate::time::Time;
use crate::unread::{ReadOf, Unread};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The row of an issue in the world.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Issue {
    pub seen: Option<Seen>,
    pub native: Native,
    /// The forge says that there is no such issue, and since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<Gone>,
    /// An operator declared it satisfied for the dependency graph.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub satisfied: bool,
    /// The evidence found for a label that says merged or done, until the issue is adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub managed: Option<Box<Managed>>,
    /// The last time Ralph looked up what the forge knows and this store may not. Kept with the issue, so that one that
    /// is adopted again because of it is not looked up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Time>,
}

/// Ralph's progress with an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Managed {
    pub phase: Phase,
    /// The time when the phase was entered.
    pub since: Time,
    /// The time of the request, which is the position in the queue.
    pub queued_at: Time,
    /// An operator asked for a pause: nothing new starts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_paused: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub blocked: Option<Blocked>,
    /// The start of the latest period in which its blockers were unknown or missing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unknown_since: Option<Time>,
    /// The next run abandons the branch, plan and pull request of the one before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub begins_afresh: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub run: Option<Run>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub work: Option<Work>,
    /// Every worktree that was begun for this issue and not removed, in this run and earlier ones.
    #[serde(default, skip_serializing_if = "is_default")]
    pub worktrees: BTreeSet<ManagedPath>,
    pub attempt: Attempt,
    #[serde(default, skip_serializing_if = "is_default")]
    pub episodes: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pull: Option<Pull>,
    pub commands: Commands,
    #[serde(default, skip_serializing_if = "is_default")]
    pub comments: BTreeMap<Slot, Posted>,
    pub labels: LabelBook,
    /// People's answers to escalations.
    #[serde(default, skip_serializing_if = "Notes::is_empty")]
    pub notes: Notes,
    /// People's messages to its agents.
    #[serde(default, skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// Ralph took it over in the middle of work that this store knows nothing of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub was_adopted: bool,
    /// The repair attempts of each lane.
    #[serde(default, skip_serializing_if = "Lanes::is_empty")]
    pub lanes: Lanes,
    /// The branch, if this is a sync pull request. Ralph takes it up by itself, for as long as it conflicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<Branch>,
    /// The last check whether the merge has reached the default branch.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reach: Option<Reach>,
    /// Reads that something here may wait for, and that the forge refuses or does not answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<ReadOf, Unread>,
    /// What its turns have used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub used: IssueUse,
}

/// The phases of an issue. Data is in the variant where it is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Known because of a command, but not in the queue.
    Out,
    Queued,
    Running {
        step: Step,
    },
    /// A blocker appeared during the run, which continues from here once it is gone.
    Parked {
        at: Step,
    },
    Escalated {
        cause: Cause,
        episode: u32,
    },
    Stopped {
        why: StopReason,
    },
    /// Merged to the bot branch, for the `batch`-th rollup.
    InBot {
        pull: PullNumber,
        merged: Sha,
        batch: u32,
        /// The manual checks that the issue listed when it was merged.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        manual_checks: Vec<String>,
    },
    Done {
        evidence: DoneEvidence,
        is_closed: bool,
    },
}

impl Phase {
    /// True if Ralph does work for the issue that closing it would stop.
    pub(crate) const fn goes_on(&self) -> bool {
        match self {
            Self::Queued | Self::Running { .. } | Self::Parked { .. } | Self::Escalated { .. } => {
                true
            }
            Self::Out | Self::Stopped { .. } | Self::InBot { .. } | Self::Done { .. } => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Command,
    /// A person closed the issue before its change was merged.
    Closed,
    /// The issue can no longer be read: deleted or moved away.
    Gone,
    /// Adopted with a stopped label.
    Adopted,
}

/// The progress of an issue before this store knew it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    Nothing,
    /// Its merge is in the bot branch and not on the default branch yet.
    InBot {
        pull: PullNumber,
        merged: Sha,
    },
    Done(DoneEvidence),
}

/// The evidence that an issue is done. Removing a worktree requires one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoneEvidence {
    /// The merge commit is an ancestor of the default branch's head.
    Reachable { merged: Sha, default_head: Sha },
    /// The head that was merged is an ancestor of the default branch's head.
    HeadReachable { head: Sha, merged: Sha, default_head: Sha },
    /// The rollup contained the merge, and the rollup's own merge commit is on the default branch.
    RolledUp { rollup: PullNumber, merged: Sha, default_head: Sha },
    /// Done without a pull request: nothing is left to do, and this comment says why.
    Verified { comment: CommentId },
}

impl DoneEvidence {
    /// The merge that it is about; `None` if there was nothing to merge.
    #[must_use]
    pub const fn merged(&self) -> Option<&Sha> {
        match self {
            Self::Reachable { merged, .. }
            | Self::HeadReachable { merged, .. }
            | Self::RolledUp { merged, .. } => Some(merged),
            Self::Verified { .. } => None,
        }
    }
}

/// The result of checking whether a merge had reached this head of the default branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    pub default_head: Sha,
    pub evidence: Option<DoneEvidence>,
}

impl Managed {
    #[must_use]
    pub fn new(phase: Phase, now: Time) -> Self {
        Self {
            phase,
            since: now,
            queued_at: now,
            is_paused: false,
            blocked: None,
            unknown_since: None,
            begins_afresh: false,
            run: None,
            work: None,
            worktrees: BTreeSet::new(),
            attempt: Attempt::default(),
            episodes: 0,
            pull: None,
            commands: Commands::default(),
            comments: BTreeMap::new(),
            labels: LabelBook::default(),
            notes: Notes::default(),
            messages: Messages::default(),
            was_adopted: false,
            lanes: Lanes::default(),
            sync: None,
            reach: None,
            unread: BTreeMap::new(),
            used: IssueUse::default(),
        }
    }

    /// True if it waits for blockers that were never read or do not exist: nothing but a person may end that.
    pub(crate) fn is_blocker_unknown(&self) -> bool {
        self.blocked.as_ref().is_some_and(|on| match on.source {
            BlockedSource::DepsUnknown | BlockedSource::DepsMissing => true,
            BlockedSource::Deps | BlockedSource::Allowlist | BlockedSource::PreflightMissing => {
                false
            }
        })
    }

    /// The time since when its blockers are unknown or missing. Rows of earlier versions have no time for missing ones.
    pub(crate) fn blockers_unknown_since(&self) -> Option<Time> {
        self.is_blocker_unknown().then(|| self.unknown_since.unwrap_or(self.since))
    }

    /// The one status label that this issue should carry.
    #[must_use]
    pub const fn status(&self) -> Option<Status> {
        match &self.phase {
            Phase::Out => None,
            Phase::Queued | Phase::Parked { .. } if self.is_paused => Some(Status::Paused),
            Phase::Queued | Phase::Parked { .. } => Some(Status::Queued),
            Phase::Running { .. } if self.is_paused => Some(Status::Paused),
            Phase::Running { .. } => Some(Status::InProgress),
            Phase::Escalated { .. } => Some(Status::Escalated),
            Phase::Stopped { .. } => Some(Status::Stopped),
            Phase::InBot { .. } => Some(Status::InBot),
            Phase::Done { .. } => Some(Status::Done),
        }
    }

    /// True if Ralph holds this issue and may start work, push and merge for it.
    #[must_use]
    pub const fn is_claimed(&self) -> bool {
        matches!(self.phase, Phase::Running { .. }) || self.work.is_some()
    }

    /// True if it waits in the queue with nothing in the way.
    #[must_use]
    pub const fn is_claimable(&self) -> bool {
        matches!(self.phase, Phase::Queued | Phase::Parked { .. })
            && !self.is_paused
            && self.blocked.is_none()
            && self.work.is_none()
    }

    /// True if it is claimed, at a step that needs a process, and without one.
    #[must_use]
    pub const fn wants_slot(&self) -> bool {
        let at_process_step = match self.phase {
            Phase::Running { step } => step.takes_slot() && !self.has_to_wait(step),
            Phase::Out
            | Phase::Queued
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. }
            | Phase::InBot { .. }
            | Phase::Done { .. } => false,
        };
        at_process_step && self.work.is_none() && !self.is_paused
    }

    /// Updates the paths of worktrees that were moved.
    pub(crate) fn rehome(&mut self, places: &BTreeMap<ManagedPath, ManagedPath>) {
        let now_at = |path: &ManagedPath| places.get(path).unwrap_or(path).clone();
        self.worktrees = self.worktrees.iter().map(now_at).collect();
        if let Some(workspace) = self.run.as_mut().and_then(|run| run.workspace.as_mut()) {
            workspace.path = now_at(&workspace.path);
        }
    }

    /// True if nothing but commands is known of it.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.phase == Phase::Out
            && self.run.is_none()
            && self.work.is_none()
            && self.pull.is_none()
            && self.worktrees.is_empty()
            && self.comments.is_empty()
            && self.commands.pending.is_empty()
            && self.commands.clearing.is_empty()
            && self.messages.waiting().next().is_none()
    }

    /// True if the step is an agent's turn that has to know people's answers first.
    #[must_use]
    pub const fn waits_for_answers(&self, step: Step) -> bool {
        step.takes_turn() && self.notes.is_unread()
    }
}

impl Issue {
    pub fn labels(&self) -> impl Iterator<Item = &str> + Clone {
        self.seen.iter().flat_map(|seen| seen.labels.iter().map(AsRef::as_ref))
    }

    /// Compares label names without case.
    #[must_use]
    pub fn has_label(&self, name: &str) -> bool {
        self.labels().any(|label| label.eq_ignore_ascii_case(name))
    }

    #[must_use]
    pub fn priority(&self) -> Priority {
        label::priority_of(self.labels())
    }

    /// True if the forge is certain that there is no such issue, and it was not closed before.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.gone.is_some_and(|gone| gone.is_certain && !gone.was_closed)
    }

    /// True if it is known to be a pull request.
    #[must_use]
    pub fn is_pull(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.is_pull == Some(true))
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| seen.open)
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| !seen.open)
    }

    /// True if the closing words of a commit that Ralph merged closed it, and not a person.
    #[must_use]
    pub fn is_closed_by_ralph(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| !seen.open && seen.closed_by.is_some())
    }

    #[must_use]
    pub fn title(&self) -> &str {
        self.seen.as_ref().map_or("", |seen| &seen.title)
    }
}
