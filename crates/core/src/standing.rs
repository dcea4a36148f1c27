//! The verdict on every issue and repository: what is being done, or exactly what it waits for. Status, explain and the
//! simulator's traces all print this one value.

use crate::escalation::Cause;
use crate::ids::{IssueKey, PullNumber};
use crate::issue::{BlockedSource, StopReason};
use crate::repo::{Refusal, RepoWish, SyncTrouble, TrialEnd};
use crate::stall::Suspicion;
use crate::steps::Step;
use crate::time::Time;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Standing {
    /// Not in the queue.
    Out,
    /// A command names it, and the forge has not shown it: whether there is such an issue is read first.
    LooksForIssue,
    /// Not in the queue; it would be, were the automatic queue not on trial.
    WouldQueue,
    /// First come, first served: waits for a claim.
    InLine,
    /// In line, and there is no bot branch to work from yet.
    WaitsForBotBranch,
    Blocked {
        source: BlockedSource,
        by: Vec<IssueKey>,
    },
    /// Nothing is left to do, it is said; what that rests on is being read.
    ReadsProof {
        until: Time,
    },
    /// Nothing is left to do; the comment that says why is being written.
    TellsVerdict,
    /// Claimed, waits for a free worker.
    WaitsForSlot {
        step: Step,
    },
    /// What people answered to its escalation has to be read first.
    WaitsForAnswers {
        step: Step,
        /// Then it goes on without.
        #[serde(default)]
        until: Time,
    },
    /// The issue itself is read before anything is spent on it, and before its change is merged.
    LooksAtIssue {
        until: Time,
        /// The forge's words.
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
    /// The forge has not shown the pull request as we left it.
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
        /// Why their results cannot be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// They are red; what they say is read before anything is done about it.
    ReadsCheckLogs {
        checks: Vec<String>,
        until: Time,
    },
    /// Chance or the machine may be to blame: they are run once more before anybody repairs anything.
    RerunsChecks {
        checks: Vec<String>,
        /// Until when they may show that they run; `None` while the forge is being asked.
        until: Option<Time>,
    },
    WaitsForMergeable {
        #[serde(default)]
        until: Time,
    },
    /// One at a time moves the bot branch on, and this one is before it.
    WaitsForTurn {
        behind: IssueKey,
    },
    /// It is tried together with others, or waits until those who are have been merged.
    WaitsForTrial {
        pull: Option<PullNumber>,
    },
    /// It has to be tested again, and others that become ready by then are tried with it.
    WaitsForCompany {
        until: Time,
    },
    /// Trials have merged nothing for too long: nobody is tested again before this time.
    TrialsRest {
        until: Time,
    },
    /// It is behind a branch that wants up-to-date heads: the forge merges that branch into it.
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
        /// The forge refuses the comment that says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        untold: Option<Refusal>,
    },
    Stopped {
        why: StopReason,
    },
    InBot {
        rollup: Option<PullNumber>,
        /// The rollup that contained it is merged: it is looked for on the default branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merged: Option<PullNumber>,
        /// The forge's words, if it refuses to show whether it has arrived.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    Done,
    /// Of a repository; one that needs nothing has no verdict.
    Repository {
        refused: Vec<RefusedWish>,
        sync: Option<SyncStanding>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        train: Option<TrainStanding>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<MarkStanding>,
    },
    /// Its repository is not ours, or not yet: nothing is started.
    RepositoryHeld,
    /// The store may be older than what was done: what the forge knows is looked up first.
    LooksUp,
}

/// Why nothing is started in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum MarkStanding {
    /// It is not known yet if another Ralph works here, or our mark is on its way.
    Looking,
    /// It was taken over, and the other one is given time to see that.
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
    /// The name of what keeps the issue from moving, as the contract names it; `None` for one that moves, or that
    /// people hold.
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
            | Self::WaitsForTurn { .. }
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

    /// When it is over at the latest, whatever the forge and others do. What has no such time waits for an effect,
    /// which is tried within bounds, for another issue, for a worker, or for a person who was told.
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
            // A read: it comes, or the command that waits for it is refused.
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
            | Self::WaitsForTurn { .. }
            | Self::WaitsForTrial { .. }
            | Self::InBot { .. }
            // People: who holds the repository is shown, and so is a look-up that fails.
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

/// How far the default branch's changes have come on their way into the bot branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum SyncStanding {
    /// Whether there is anything to bring is not known yet.
    Comparing,
    Opening,
    Open {
        pull: PullNumber,
        /// A person is asked then; `None` while it is being merged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
        /// The forge's words, if something of it cannot be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// It conflicts with the bot branch, and the conflict lane has it.
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

/// How far changes that are tried together have come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum TrainStanding {
    /// They are merged one onto the other.
    Building { issues: Vec<u64> },
    /// Their checks run.
    Trying { pull: Option<PullNumber>, issues: Vec<u64> },
    /// Their checks have passed: they are merged in this order.
    Merging { pull: Option<PullNumber>, issues: Vec<u64> },
    /// The last one is over, and nothing new has begun.
    Ended { number: u32, end: TrialEnd },
}

/// Something the repository needs and the forge refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedWish {
    pub wish: RepoWish,
    #[serde(flatten)]
    pub refusal: Refusal,
}
