//! Moves that `decide` makes within a run on its own authority.

use crate::gate::{Gate, GateRecord};
use crate::ids::{PullNumber, Sha};
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// A move within a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunMove {
    Judged {
        gate: Gate,
        record: Box<GateRecord>,
    },
    /// Back to planning, with the reason and the gate that rejected the plan or its change.
    Replan {
        reason: String,
        #[serde(default = "plan_review")]
        by: Gate,
    },
    /// No turn could tell whether anything is left: the issue is worked on, with what the turns said in view.
    ParentSeeded {
        said: String,
    },
    /// None of the evidence of a verdict that nothing is left could be read.
    ProofMissing,
    /// Back to implementation, with the failure.
    Reimplement {
        reason: String,
    },
    /// Checks of this commit did not report in time.
    ChecksLate {
        head: Sha,
        checks: Vec<String>,
    },
    /// The forge did not show the issue in time: the run continues with what is known.
    LookPassedOver,
    /// There was no time to survey for small fixes.
    SurveyPassedOver,
    /// The forge is asked to merge the base into this head, which is behind it; until then this run holds the merge
    /// slot.
    BringUpToDate {
        from: Sha,
        until: Time,
    },
    /// The pull request of an earlier run is closed: the branch is pushed again and gets another pull request.
    ReplacePull {
        number: PullNumber,
    },
    /// The forge's update has moved the branch: the worktree takes its new head.
    TakeBranch,
    /// The forge reports a conflict with the base: the worktree merges the base to find it.
    MeetBase,
    /// The bot branch has moved: the run merges it and tests again; until then this run holds the merge slot.
    TestAgain {
        until: Time,
    },
    /// A message arrived after the change was made: its agent takes another turn.
    Steered,
    /// The agents' program fails for every issue: this run is not blamed for its failures.
    Excused,
}

/// The only gate that sent plans back before the gate was stored.
const fn plan_review() -> Gate {
    Gate::PlanReview
}
