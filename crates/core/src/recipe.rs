//! A run follows a recipe: an ordered list of steps. The step a run is at is the first one whose evidence is
//! missing, so a run that lost or changed something finds its place again by itself.

use crate::lane::Lane;
use crate::policy::RepoPolicy;
use crate::role::Role;
use crate::run::Run;
use crate::steps::Step;
use serde::{Deserialize, Serialize};

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

    /// The agent that repairs in a run of this recipe.
    pub(crate) const fn repairer(self) -> Role {
        match self {
            Self::Issue => Role::Implement,
            Self::CiDebug => Role::CiDebug,
            Self::MergeConflict | Self::Sync | Self::SyncConflict => Role::MergeConflict,
        }
    }

    /// The first step without evidence.
    #[must_use]
    pub fn position(self, run: &Run, policy: &RepoPolicy) -> Step {
        let open = self.steps().iter().find(|step| !step.is_behind(run, policy));
        open.copied().unwrap_or(Step::Merge)
    }
}
