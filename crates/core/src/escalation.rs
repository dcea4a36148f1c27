//! Why a person is needed. Each cause knows what is missing; the sentences are in `words`.

use crate::gate::Gate;
use crate::ids::IssueKey;
use crate::lane::{Lane, LaneEnd};
use crate::recipe::Step;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    ProductGap(String),
    /// The planner asked for a person.
    Routed(String),
    /// The plan would break what others rely on.
    ContractSurface(String),
    PlanRejected(String),
    /// A reviewer never gave a valid verdict.
    MissingVerdict(Gate),
    /// Its children are resolved, and too little shows that nothing is left.
    CloseOrClarify(String),
    /// A step failed as often as it may.
    StepSpent {
        step: Step,
        reason: String,
    },
    /// The operator's commands could not even be run, as often as that may be tried.
    CouldNotRun {
        step: Step,
        reason: String,
    },
    /// Turns did not get anywhere, as often as that may be.
    Stalled {
        step: Step,
        reason: String,
    },
    /// Ralph died too often during this run without progress.
    Interrupted,
    ChecksFailed(Vec<String>),
    ChecksTimedOut(Vec<String>),
    /// A lane has tried to repair this as often as it may, or came to the same end twice.
    LaneSpent {
        lane: Lane,
        end: LaneEnd,
        attempts: u32,
        /// The checks that are still red, or the files that still conflict.
        failing: Vec<String>,
    },
    Conflict,
    /// Brought up to date as often as it may be, and behind again.
    Behind,
    /// The forge keeps refusing to bring it up to date.
    UpdateRefused(String),
    CiOnly,
    WrongBase(String),
    MergeRefused(String),
    PushRefused(String),
    PullRefused(String),
    /// A person closed the pull request.
    PullClosed,
    /// The branch of the pull request was moved by somebody else.
    HeadMoved,
    Cycle(Vec<IssueKey>),
    /// Labelled as merged or done, but nothing proves it.
    NoEvidence,
    /// Adopted with an escalated label whose reason is not known here.
    Inherited,
}
