//! The steps of a run. Each step has one file with everything about it: the evidence that it is done, the next decision
//! at it, its process, the effect of that process's end on the run, and its limits.

mod change;
mod commands;
mod gate;
mod review;
mod turn;

mod checks;
mod devex_review;
mod implement;
mod integrity;
mod merge;
mod parent_verify;
mod plan;
mod plan_review;
mod preflight;
mod product_review;
mod publish;
mod repair;
mod setup;
mod survey;
mod workspace;

pub(crate) use gate::skip_reason;
pub(crate) use merge::{
    by_hand, by_ralph, is_merged, leads_to_default, ready as ready_to_merge, watch as watch_pull,
};
pub(crate) use parent_verify::comment as parent_comment;
pub(crate) use turn::{preview, resumed};

use crate::decide::{Context, Next};
use crate::fact::Outcome;
use crate::gate::Gate;
use crate::job::{Job, Role};
use crate::policy::RepoPolicy;
use crate::recipe::Recipe;
use crate::run::Run;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Workspace,
    Setup,
    ParentVerify,
    Plan,
    PlanReview,
    Implement,
    Repair,
    Preflight,
    Integrity,
    ProductReview,
    DevexReview,
    Publish,
    Survey,
    Checks,
    Merge,
}

/// The rules of a step.
pub(crate) struct StepSpec {
    pub(crate) name: &'static str,
    /// True if most runs pass this step, so that `explain` lists it among the steps ahead.
    pub(crate) is_usual: bool,
    /// True if the run has evidence that this step is done.
    pub(crate) is_behind: fn(&Run, &RepoPolicy) -> bool,
    /// The decision at this step while no process runs.
    pub(crate) next: fn(&Context<'_>, &Run) -> Next,
    /// `None`: the step only waits for the forge, and takes neither a worker nor a slot.
    pub(crate) process: Option<Process>,
}

/// The process of a step.
pub(crate) struct Process {
    pub(crate) job: fn(&Context<'_>, &Run) -> Option<Job>,
    pub(crate) time_limit: fn(&RepoPolicy, Recipe) -> Span,
    /// The time beyond its limit that Ralph still waits for the process.
    pub(crate) grace: Span,
    /// Changes the run when the process ends.
    pub(crate) take: fn(&mut Run, &Finished<'_>),
    /// The agent that takes the turn, by the recipe of the run; `None` for commands and git.
    pub(crate) role: Option<fn(Recipe) -> Role>,
    /// The gate that the process judges.
    pub(crate) gate: Option<Gate>,
    /// True if the step gets one attempt only, however it ends.
    pub(crate) is_tried_once: bool,
    /// The number of attempts, unless the operator sets another.
    pub(crate) attempts: u32,
}

/// The end of a process.
pub(crate) struct Finished<'a> {
    pub(crate) outcome: &'a Outcome,
    pub(crate) now: Time,
    /// The number of moves of the bot branch seen so far.
    pub(crate) bot_moves: u64,
}

/// The time beyond its limit that Ralph still waits for a process. The adapter enforces the limit, and can say which
/// command exceeded it and what that command had written. The grace covers the work around the command: a checkout
/// before it, changes after it.
const GRACE: Span = Span::from_mins(2);

impl Step {
    /// Returns the rules of this step. This is the only list of steps.
    pub(crate) const fn spec(self) -> &'static StepSpec {
        match self {
            Self::Workspace => &workspace::SPEC,
            Self::Setup => &setup::SPEC,
            Self::ParentVerify => &parent_verify::SPEC,
            Self::Plan => &plan::SPEC,
            Self::PlanReview => &plan_review::SPEC,
            Self::Implement => &implement::SPEC,
            Self::Repair => &repair::SPEC,
            Self::Preflight => &preflight::SPEC,
            Self::Integrity => &integrity::SPEC,
            Self::ProductReview => &product_review::SPEC,
            Self::DevexReview => &devex_review::SPEC,
            Self::Publish => &publish::SPEC,
            Self::Survey => &survey::SPEC,
            Self::Checks => &checks::SPEC,
            Self::Merge => &merge::SPEC,
        }
    }

    const fn process(self) -> Option<&'static Process> {
        self.spec().process.as_ref()
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// True if most runs pass this step.
    #[must_use]
    pub const fn is_usual(self) -> bool {
        self.spec().is_usual
    }

    /// True if this step runs a process, which takes a worker and a slot.
    #[must_use]
    pub const fn takes_slot(self) -> bool {
        self.process().is_some()
    }

    /// True if this step is a turn of an agent.
    #[must_use]
    pub const fn takes_turn(self) -> bool {
        matches!(self.process(), Some(Process { role: Some(_), .. }))
    }

    /// The agent that takes the turn of this step in a run of this recipe.
    #[must_use]
    pub fn role(self, recipe: Recipe) -> Option<Role> {
        let role = self.process()?.role?;
        Some(role(recipe))
    }

    /// The gate that this step's process judges.
    #[must_use]
    pub fn gate(self) -> Option<Gate> {
        self.process()?.gate
    }

    /// True if the step gets one attempt only, however it ends.
    pub(crate) fn is_tried_once(self) -> bool {
        self.process().is_some_and(|process| process.is_tried_once)
    }

    /// The number of attempts, unless the operator sets another.
    pub(crate) fn attempts(self) -> u32 {
        self.process().map_or(1, |process| process.attempts)
    }

    pub(crate) fn grace(self) -> Span {
        self.process().map_or(Span::ZERO, |process| process.grace)
    }

    pub(crate) fn job(self, cx: &Context<'_>) -> Option<Job> {
        (self.process()?.job)(cx, cx.run()?)
    }

    /// The time limit of its process in a run of this recipe.
    pub(crate) fn time_limit(self, rules: &RepoPolicy, recipe: Recipe) -> Span {
        self.process().map_or(Span::ZERO, |process| (process.time_limit)(rules, recipe))
    }

    /// True if the run has evidence that this step is done.
    #[must_use]
    pub fn is_behind(self, run: &Run, policy: &RepoPolicy) -> bool {
        (self.spec().is_behind)(run, policy)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
