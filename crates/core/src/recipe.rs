//! Recipes: ordered lists of steps. A run is at the first step whose evidence is missing, so a run that lost or changed
//! something finds its place by itself.

use crate::lane::Lane;
use crate::policy::RepoPolicy;
use crate::role::Role;
use crate::run::Run;
use crate::steps::Step;
use serde::{Deserialize, Serialize};

/// The list of steps that a run follows; it belongs to the recipe, not to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recipe {
    #[default]
    Issue,
    CiDebug,
    MergeConflict,
    /// Merges the bot branch into the branch of a sync pull request.
    Sync,
    /// Like `Sync`, for branches that conflict.
    SyncConflict,
}

impl Recipe {
    pub const ALL: [Self; 5] =
        [Self::Issue, Self::CiDebug, Self::MergeConflict, Self::Sync, Self::SyncConflict];

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
            // The approval of the plan's review is carried over from the run before.
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
            // There is no plan, and there are no tests that a plan would have to name: the merged changes are on the
            // default branch already. The repository handles its checks and its merge.
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

    /// True if it works on a sync pull request.
    #[must_use]
    pub const fn is_sync(self) -> bool {
        matches!(self, Self::Sync | Self::SyncConflict)
    }

    /// True if it has to resolve a conflict that its worktree begins with.
    #[must_use]
    pub const fn resolves_conflict(self) -> bool {
        matches!(self, Self::MergeConflict | Self::SyncConflict)
    }

    /// Returns the recipe of an attempt of this lane to repair a run of this recipe.
    #[must_use]
    pub const fn in_lane(self, lane: Lane) -> Self {
        match lane {
            Lane::MergeConflict if self.is_sync() => Self::SyncConflict,
            Lane::CiDebug | Lane::MergeConflict => lane.recipe(),
        }
    }

    /// Returns the lane that a run of this recipe is an attempt of.
    #[must_use]
    pub const fn lane(self) -> Option<Lane> {
        match self {
            Self::Issue | Self::Sync => None,
            Self::CiDebug => Some(Lane::CiDebug),
            Self::MergeConflict | Self::SyncConflict => Some(Lane::MergeConflict),
        }
    }

    /// Returns the agent that repairs in a run of this recipe.
    pub(crate) const fn repairer(self) -> Role {
        match self {
            Self::Issue => Role::Implement,
            Self::CiDebug => Role::CiDebug,
            Self::MergeConflict | Self::Sync | Self::SyncConflict => Role::MergeConflict,
        }
    }

    /// True if this step comes after the one in which an agent makes the change.
    pub(crate) fn is_past_change(self, step: Step) -> bool {
        let mut before = self.steps().iter().take_while(|it| **it != step);
        before.any(|it| matches!(it, Step::Implement | Step::Repair))
    }

    /// Returns the roles of the turns that a run takes if none has to be repeated. Only issues with sub-issues are verified
    /// as parents.
    #[must_use]
    pub fn turns(self, policy: &RepoPolicy) -> Vec<Role> {
        let is_taken = |step: &&Step| match step {
            Step::ParentVerify => false,
            Step::Survey => policy.survey,
            Step::Workspace
            | Step::Setup
            | Step::Plan
            | Step::PlanReview
            | Step::Implement
            | Step::Repair
            | Step::Preflight
            | Step::Integrity
            | Step::ProductReview
            | Step::DevexReview
            | Step::Publish
            | Step::Checks
            | Step::Merge => !step.gate().is_some_and(|gate| policy.skipped_gates.contains(&gate)),
        };
        self.steps().iter().filter(is_taken).filter_map(|step| step.role(self)).collect()
    }

    /// Returns the first step without evidence.
    #[must_use]
    pub fn position(self, run: &Run, policy: &RepoPolicy) -> Step {
        let open = self.steps().iter().find(|step| !step.is_behind(run, policy));
        open.copied().unwrap_or(Step::Merge)
    }
}
