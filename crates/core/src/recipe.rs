//! A run follows a recipe: an ordered list of steps. The step a run is at is the first one whose evidence is
//! missing, so a run that lost or changed something finds its place again by itself.

use crate::gate::Gate;
use crate::lane::Lane;
use crate::parent::Parent;
use crate::policy::RepoPolicy;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything a run can be busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Workspace,
    Setup,
    ParentVerify,
    Plan,
    PlanReview,
    Implement,
    /// What a lane does instead of planning and implementing.
    Repair,
    Preflight,
    Integrity,
    ProductReview,
    DevexReview,
    Publish,
    /// Looks for small fixes beside the task while its checks run.
    Survey,
    Checks,
    Merge,
}

impl Step {
    /// Does this step run a process of ours, which takes a worker and a slot?
    #[must_use]
    pub const fn takes_slot(self) -> bool {
        match self {
            Self::Workspace
            | Self::Setup
            | Self::ParentVerify
            | Self::Plan
            | Self::PlanReview
            | Self::Implement
            | Self::Repair
            | Self::Preflight
            | Self::Integrity
            | Self::ProductReview
            | Self::DevexReview
            | Self::Survey => true,
            Self::Publish | Self::Checks | Self::Merge => false,
        }
    }

    /// Is this step a turn of an agent?
    #[must_use]
    pub const fn takes_turn(self) -> bool {
        match self {
            Self::ParentVerify
            | Self::Plan
            | Self::PlanReview
            | Self::Implement
            | Self::Repair
            | Self::ProductReview
            | Self::DevexReview
            | Self::Survey => true,
            Self::Workspace
            | Self::Setup
            | Self::Preflight
            | Self::Integrity
            | Self::Publish
            | Self::Checks
            | Self::Merge => false,
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Setup => "setup",
            Self::ParentVerify => "parent verification",
            Self::Plan => "plan",
            Self::PlanReview => "plan review",
            Self::Implement => "implement",
            Self::Repair => "repair",
            Self::Preflight => "preflight",
            Self::Integrity => "test integrity",
            Self::ProductReview => "product review",
            Self::DevexReview => "devex review",
            Self::Publish => "publish",
            Self::Survey => "survey",
            Self::Checks => "checks",
            Self::Merge => "merge",
        }
    }

    /// The gate whose result comes of this step's process.
    #[must_use]
    pub const fn gate(self) -> Option<Gate> {
        match self {
            Self::PlanReview => Some(Gate::PlanReview),
            Self::Preflight => Some(Gate::Preflight),
            Self::Integrity => Some(Gate::TestIntegrity),
            Self::ProductReview => Some(Gate::ProductReview),
            Self::DevexReview => Some(Gate::DevexReview),
            Self::Workspace
            | Self::Setup
            | Self::ParentVerify
            | Self::Plan
            | Self::Implement
            | Self::Repair
            | Self::Publish
            | Self::Survey
            | Self::Checks
            | Self::Merge => None,
        }
    }

    /// Is there evidence in the run that this step is behind it?
    #[must_use]
    pub fn is_satisfied(self, run: &Run, policy: &RepoPolicy) -> bool {
        match self {
            Self::Workspace => run.workspace.is_some() && !run.is_outdated,
            Self::Setup => policy.setup.is_empty() || run.is_set_up,
            Self::ParentVerify => {
                run.plan.is_some()
                    || run.head.is_some()
                    || run.parent.as_ref().is_none_or(Parent::is_settled)
            }
            Self::Plan => run.plan.is_some(),
            Self::Implement => run.head.is_some() && run.feedback.is_none(),
            // A worktree that was made again may show a conflict whose resolution was lost with the one before.
            Self::Repair => {
                let is_resolved = run.recipe != Recipe::MergeConflict || run.conflict.is_none();
                run.head.is_some() && run.feedback.is_none() && is_resolved
            }
            Self::PlanReview => run.passed(Gate::PlanReview),
            Self::Preflight => run.passed(Gate::Preflight),
            Self::Integrity => run.passed(Gate::TestIntegrity),
            Self::ProductReview => run.passed(Gate::ProductReview),
            Self::DevexReview => run.passed(Gate::DevexReview),
            Self::Publish => {
                run.pull.is_some() && run.head.as_ref().map(|h| &h.commit) == run.pushed.as_ref()
            }
            Self::Survey => !policy.survey || run.survey.is_some() || run.passed(Gate::Ci),
            Self::Checks => run.passed(Gate::Ci),
            Self::Merge => false,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which list of steps a run follows; the list belongs to the recipe, not to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    #[default]
    Issue,
    CiDebug,
    MergeConflict,
    /// Brings the bot branch into the branch of a sync pull request.
    Sync,
    /// As `Sync`, where the two are at odds.
    SyncConflict,
}

impl Recipe {
    #[must_use]
    pub const fn steps(self) -> &'static [Step] {
        match self {
            Self::Issue => &[
                Step::Workspace,
                Step::Setup,
                Step::ParentVerify,
                Step::Plan,
                Step::PlanReview,
                Step::Implement,
                Step::Preflight,
                Step::Integrity,
                Step::ProductReview,
                Step::DevexReview,
                Step::Publish,
                Step::Survey,
                Step::Checks,
                Step::Merge,
            ],
            // What the plan's review let through was carried over from the run before.
            Self::CiDebug | Self::MergeConflict => &[
                Step::Workspace,
                Step::Setup,
                Step::Repair,
                Step::Preflight,
                Step::Integrity,
                Step::ProductReview,
                Step::DevexReview,
                Step::Publish,
                Step::Checks,
                Step::Merge,
            ],
            // No plan, and no tests that a plan would have to name: what it brings is on the default branch already. Its
            // checks and its merge are the repository's.
            Self::Sync | Self::SyncConflict => &[
                Step::Workspace,
                Step::Setup,
                Step::Repair,
                Step::Preflight,
                Step::ProductReview,
                Step::DevexReview,
                Step::Publish,
            ],
        }
    }

    /// Does it work on a sync pull request?
    #[must_use]
    pub const fn is_sync(self) -> bool {
        matches!(self, Self::Sync | Self::SyncConflict)
    }

    /// Is it to resolve a conflict that its worktree begins with?
    #[must_use]
    pub const fn resolves_conflict(self) -> bool {
        matches!(self, Self::MergeConflict | Self::SyncConflict)
    }

    /// The recipe of an attempt of this lane at what a run of this recipe met.
    #[must_use]
    pub const fn in_lane(self, lane: Lane) -> Self {
        match lane {
            Lane::MergeConflict if self.is_sync() => Self::SyncConflict,
            Lane::CiDebug | Lane::MergeConflict => lane.recipe(),
        }
    }

    /// The lane that a run of this recipe is an attempt of.
    #[must_use]
    pub const fn lane(self) -> Option<Lane> {
        match self {
            Self::Issue | Self::Sync => None,
            Self::CiDebug => Some(Lane::CiDebug),
            Self::MergeConflict | Self::SyncConflict => Some(Lane::MergeConflict),
        }
    }

    /// The first step without evidence.
    #[must_use]
    pub fn position(self, run: &Run, policy: &RepoPolicy) -> Step {
        let open = self.steps().iter().find(|step| !step.is_satisfied(run, policy));
        open.copied().unwrap_or(Step::Merge)
    }
}
