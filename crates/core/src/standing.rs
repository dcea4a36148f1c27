//! The status of every issue and repository: what is being done, or exactly what it waits for. Status, explain and the
//! simulator's traces all print this one value.

use crate::escalation::Cause;
use crate::ids::{IssueKey, PullNumber};
use crate::issue::{BlockedSource, StopReason};
use crate::merge_queue::TrialEnd;
use crate::repo::{DesiredEffect, Refusal, SyncTrouble};
use crate::stall::Suspicion;
use crate::steps::Step;
use crate::time::Time;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Standing {
    /// Not in the queue.
    Out,
    /// A command names it, but the forge has not shown it: Ralph first reads whether the issue exists.
    LooksForIssue,
    /// Not in the queue; it would be, if the automatic queue were not a dry run.
    WouldQueue,
    /// Waits for a claim, in the order of the queue.
    InLine,
    /// Waits for a claim, and there is no bot branch to work from yet.
    WaitsForBotBranch,
    Blocked {
        source: BlockedSource,
        by: Vec<IssueKey>,
    },
    /// The verdict says that nothing is left to do; its evidence is being read.
    ReadsProof {
        until: Time,
    },
    /// Nothing is left to do; the comment that says why is being written.
    TellsVerdict,
    /// Claimed, waits for a free worker.
    WaitsForSlot {
        step: Step,
    },
    /// People's answers to its escalation have to be read first.
    WaitsForAnswers {
        step: Step,
        /// Then it continues without them.
        #[serde(default)]
        until: Time,
    },
    /// The issue itself is read before any work on it, and before its change is merged.
    LooksAtIssue {
        until: Time,
        /// The forge's error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    Starting {
        step: Step,
    },
    Working {
        step: Step,
        until: Time,
        /// It may be about to stall.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suspicion: Option<Suspicion>,
    },
    Ending {
        step: Step,
    },
    Pushing,
    OpeningPull,
    /// The forge does not show the pull request as Ralph left it yet.
    WaitsForPull {
        #[serde(default)]
        until: Time,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    WaitsForRequiredChecks {
        #[serde(default)]
        until: Time,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    WaitsForChecks {
        pending: Vec<String>,
        until: Time,
        /// The reason why their results cannot be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The checks are red; their logs are read before anything is done about them.
    ReadsCheckLogs {
        checks: Vec<String>,
        until: Time,
    },
    /// Chance or the machine may be the cause: the checks are rerun before any repair.
    RerunsChecks {
        checks: Vec<String>,
        /// The time until which they may show that they run; `None` while the forge is being asked.
        until: Option<Time>,
    },
    WaitsForMergeable {
        #[serde(default)]
        until: Time,
    },
    /// Another issue holds the merge slot.
    #[serde(rename = "waits_for_turn")]
    WaitsForMergeSlot {
        behind: IssueKey,
    },
    /// It is an entry of a trial build, or waits until the entries of one are merged.
    WaitsForTrial {
        pull: Option<PullNumber>,
    },
    /// It has to be tested again; others that become ready by then join its trial build.
    WaitsForCompany {
        until: Time,
    },
    /// Trial builds have merged nothing for too long: no change is tested again before this time.
    TrialsRest {
        until: Time,
    },
    /// The head is behind a branch that requires up-to-date heads: the forge merges that branch into it.
    BringingUpToDate {
        pull: PullNumber,
    },
    Merging {
        pull: PullNumber,
    },
    Paused {
        at: Option<Step>,
    },
    Escalated {
        cause: Cause,
        /// The forge refuses the comment about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        untold: Option<Refusal>,
    },
    Stopped {
        why: StopReason,
    },
    InBot {
        rollup: Option<PullNumber>,
        /// The merged rollup that contained it; Ralph now looks for the change on the default branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merged: Option<PullNumber>,
        /// The forge's error, if it refuses to show whether the change has arrived.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    Done,
    /// The status of a repository; one that needs nothing has none.
    Repository {
        refused: Vec<RefusedEffect>,
        sync: Option<SyncStanding>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(rename = "train")]
        trial: Option<TrialStanding>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<MarkStanding>,
    },
    /// Its repository is not ours, or not yet: nothing is started.
    RepositoryHeld,
    /// The store may be older than the work that was done: Ralph first looks up what the forge knows.
    LooksUp,
}

/// The reason why nothing is started in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum MarkStanding {
    /// It is not known yet whether another Ralph works here, or our mark is being written.
    Looking,
    /// It was taken over, and the other Ralph gets time to notice.
    Begins { at: Time, from: Option<String> },
    /// Another Ralph works here.
    Theirs {
        name: Option<String>,
        since: Time,
        renewed: Time,
        /// It has a copy of this store and was started later.
        is_copy: bool,
    },
}

impl Standing {
    /// Returns the contract's name of what keeps the issue from moving; `None` if it moves, or if people hold it.
    #[must_use]
    pub const fn blocked_source(&self) -> Option<&'static str> {
        match self {
            Self::Blocked { source, .. } => Some(source.name()),
            Self::Escalated { cause, .. } => Some(cause.source()),
            Self::WaitsForBotBranch => Some("merge-target"),
            Self::Out
            | Self::LooksForIssue
            | Self::WouldQueue
            | Self::InLine
            | Self::ReadsProof { .. }
            | Self::TellsVerdict
            | Self::WaitsForSlot { .. }
            | Self::WaitsForAnswers { .. }
            | Self::LooksAtIssue { .. }
            | Self::Starting { .. }
            | Self::Working { .. }
            | Self::Ending { .. }
            | Self::Pushing
            | Self::OpeningPull
            | Self::WaitsForPull { .. }
            | Self::WaitsForRequiredChecks { .. }
            | Self::WaitsForChecks { .. }
            | Self::ReadsCheckLogs { .. }
            | Self::RerunsChecks { .. }
            | Self::WaitsForMergeable { .. }
            | Self::WaitsForMergeSlot { .. }
            | Self::WaitsForTrial { .. }
            | Self::WaitsForCompany { .. }
            | Self::TrialsRest { .. }
            | Self::BringingUpToDate { .. }
            | Self::Merging { .. }
            | Self::Paused { .. }
            | Self::Stopped { .. }
            | Self::InBot { .. }
            | Self::Done
            | Self::RepositoryHeld
            | Self::LooksUp
            | Self::Repository { .. } => None,
        }
    }

    /// The time at which it ends at the latest, whatever the forge and others do. A status without one waits for an
    /// effect, which has bounded tries, for another issue, for a worker, or for a person who was asked.
    #[must_use]
    pub const fn deadline(&self) -> Option<Time> {
        match self {
            Self::Working { until, .. }
            | Self::WaitsForAnswers { until, .. }
            | Self::LooksAtIssue { until, .. }
            | Self::ReadsProof { until }
            | Self::WaitsForPull { until, .. }
            | Self::WaitsForRequiredChecks { until, .. }
            | Self::WaitsForChecks { until, .. }
            | Self::ReadsCheckLogs { until, .. }
            | Self::WaitsForMergeable { until }
            | Self::WaitsForCompany { until }
            | Self::TrialsRest { until } => Some(*until),
            Self::RerunsChecks { until, .. }
            | Self::Repository { sync: Some(SyncStanding::Open { until, .. }), .. } => *until,
            // A read: it succeeds, or the command that waits for it is refused.
            Self::LooksForIssue
            // Effects.
            | Self::TellsVerdict
            | Self::Starting { .. }
            | Self::Ending { .. }
            | Self::Pushing
            | Self::OpeningPull
            | Self::BringingUpToDate { .. }
            | Self::Merging { .. }
            | Self::Repository { .. }
            // Other issues and workers.
            | Self::InLine
            | Self::WaitsForBotBranch
            | Self::Blocked { .. }
            | Self::WaitsForSlot { .. }
            | Self::WaitsForMergeSlot { .. }
            | Self::WaitsForTrial { .. }
            | Self::InBot { .. }
            // People: status shows who holds the repository, and a look-up that fails.
            | Self::RepositoryHeld
            | Self::LooksUp
            | Self::Out
            | Self::WouldQueue
            | Self::Paused { .. }
            | Self::Escalated { .. }
            | Self::Stopped { .. }
            | Self::Done => None,
        }
    }
}

/// The progress of the default branch's changes into the bot branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum SyncStanding {
    /// It is not known yet whether there is anything to merge.
    Comparing,
    Opening,
    Open {
        pull: PullNumber,
        /// The time when a person is asked; `None` while it is being merged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
        /// The forge's error, if some of it cannot be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// It conflicts with the bot branch, and the conflict lane works on it.
    Resolving {
        pull: PullNumber,
    },
    NeedsPerson {
        pull: PullNumber,
        trouble: SyncTrouble,
    },
    /// A person closed the pull request unmerged.
    Declined,
}

/// The progress of a trial build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum TrialStanding {
    /// Its entries are being merged one after the other.
    Building { issues: Vec<u64> },
    /// Their checks run.
    Trying { pull: Option<PullNumber>, issues: Vec<u64> },
    /// Its checks have passed: its entries are merged in this order.
    Merging { pull: Option<PullNumber>, issues: Vec<u64> },
    /// The last one is over, and no other has begun.
    Ended { number: u32, end: TrialEnd },
}

/// A desired effect on the repository that the forge refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedEffect {
    #[serde(rename = "wish")]
    pub desired: DesiredEffect,
    #[serde(flatten)]
    pub refusal: Refusal,
}
