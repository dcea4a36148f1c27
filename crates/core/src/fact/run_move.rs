//! What `decide` moves within a run on its own authority.

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
    /// Back to planning, with the reason and the gate that did not let through what was planned.
    Replan {
        reason: String,
        #[serde(default = "plan_review")]
        by: Gate,
    },
    /// Nobody could tell whether anything is left: it is worked on, with what was said.
    ParentSeeded {
        said: String,
    },
    /// Nothing of what a verdict that nothing is left rests on could be read.
    ProofMissing,
    /// Back to implementation, with what failed.
    Reimplement {
        reason: String,
    },
    /// Checks of this commit did not report in time.
    ChecksLate {
        head: Sha,
        checks: Vec<String>,
    },
    /// The forge did not show the issue in time: the run goes on with what is known.
    LookPassedOver,
    /// Nobody had the time to look for small fixes.
    SurveyPassedOver,
    /// The forge is asked to merge the base into this head, which is behind it, and until then it is this run's
    /// turn.
    BringUpToDate {
        from: Sha,
        until: Time,
    },
    /// The pull request of an earlier run is closed: the branch is pushed again, and another one opened.
    ReplacePull {
        number: PullNumber,
    },
    /// The branch has moved by that: the worktree takes its new head.
    TakeBranch,
    /// The forge says that it conflicts with its base: the worktree merges that to see where.
    MeetBase,
    /// The bot branch has moved on: it is merged in and everything tested again, and until then it is this run's
    /// turn.
    TestAgain {
        until: Time,
    },
    /// The agents' program fails for everybody: this run is not to blame for its own failures.
    Excused,
}

/// The only gate that sent plans back when this was not stored yet.
const fn plan_review() -> Gate {
    Gate::PlanReview
}
