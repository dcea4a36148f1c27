//! Escalations: the reasons why a person is needed. Each cause has what is missing; the sentences are in `words`.

use crate::books::Amount;
use crate::budget::{Exceeded, IssueUse};
use crate::gate::Gate;
use crate::ids::IssueKey;
use crate::lane::{Lane, LaneEnd};
use crate::product_gap::ProductGap;
use crate::routing::{ContractSurface, Decision, Routing};
use crate::steps::Step;
use crate::unread::ReadOf;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", remote = "Self")]
pub enum Cause {
    ProductGap(String),
    /// The planner asked for a person.
    Routed(String),
    /// The plan would break what others rely on.
    ContractSurface(String),
    PlanRejected(String),
    /// The change fails the base's own tests, under every plan that was tried.
    TestsChanged(String),
    /// A reviewer never gave a valid verdict.
    MissingVerdict(Gate),
    /// The children are resolved, but the evidence that nothing is left is too weak.
    CloseOrClarify(String),
    /// A step failed as often as it is allowed to.
    StepSpent {
        step: Step,
        reason: String,
    },
    /// The operator's commands could not even be run, in as many tries as are allowed.
    CouldNotRun {
        step: Step,
        reason: String,
    },
    /// Turns made no progress, as often as is allowed.
    Stalled {
        step: Step,
        reason: String,
    },
    /// What an issue may use is used up, or the next turn may use more than is left.
    BudgetSpent {
        exceeded: Exceeded,
        used: IssueUse,
        /// For the next turn.
        reserved: Amount,
    },
    /// Ralph died too often during this run without progress.
    Interrupted,
    /// A lane has used up its attempts, or ended with the same failure twice.
    LaneSpent {
        lane: Lane,
        end: LaneEnd,
        attempts: u32,
        /// The checks that are still red, or the files that still conflict.
        failing: Vec<String>,
    },
    /// The change conflicts with the bot branch, and no reviewed plan says how it should be.
    Conflict,
    /// The forge reports a conflict with the bot branch, and the worktree has merged that branch without one as often
    /// as is allowed.
    ConflictUnseen {
        looks: u32,
    },
    /// The branch is behind again after as many updates as are allowed.
    Behind,
    /// The forge keeps refusing to update the branch.
    UpdateRefused(String),
    /// Something could not be read for too long.
    Unreadable {
        of: ReadOf,
        why: String,
    },
    CiOnly,
    WrongBase(String),
    MergeRefused(String),
    PushRefused(String),
    PullRefused(String),
    /// A person closed the pull request.
    PullClosed,
    /// Another account moved the branch of the pull request.
    HeadMoved,
    Cycle(Vec<IssueKey>),
    /// Its text names blockers that do not exist, and nobody corrected it for too long.
    BlockersMissing(Vec<IssueKey>),
    /// The label says merged or done, but nothing proves it.
    NoEvidence,
    /// Adopted with an escalated label; the store does not know its reason.
    Inherited,
}

impl Cause {
    /// Returns the reason for which a planner asks for a person, if it does.
    #[must_use]
    pub fn of_plan(routing: &Routing, gap: &ProductGap) -> Option<Self> {
        let reason = || routing.escalation_reason.clone().unwrap_or_default();
        match (gap, routing.contract_surface, routing.decision) {
            (ProductGap::Gap(text), _, _) => Some(Self::ProductGap(text.clone())),
            (ProductGap::None | ProductGap::Denied, ContractSurface::Breaking, _) => {
                Some(Self::ContractSurface(reason()))
            }
            (
                ProductGap::None | ProductGap::Denied,
                ContractSurface::Untouched | ContractSurface::Additive,
                decision,
            ) => (decision == Decision::Escalate).then(|| Self::Routed(reason())),
        }
    }

    /// True if the findings of reviews can be the reason why the run is stuck.
    #[must_use]
    pub const fn may_be_by_reviews(&self) -> bool {
        match self {
            Self::PlanRejected(_) | Self::MissingVerdict(_) | Self::StepSpent { .. } => true,
            Self::ProductGap(_)
            | Self::Routed(_)
            | Self::ContractSurface(_)
            | Self::TestsChanged(_)
            | Self::CloseOrClarify(_)
            | Self::CouldNotRun { .. }
            | Self::Stalled { .. }
            | Self::BudgetSpent { .. }
            | Self::Interrupted
            | Self::LaneSpent { .. }
            | Self::Conflict
            | Self::ConflictUnseen { .. }
            | Self::Behind
            | Self::UpdateRefused(_)
            | Self::Unreadable { .. }
            | Self::CiOnly
            | Self::WrongBase(_)
            | Self::MergeRefused(_)
            | Self::PushRefused(_)
            | Self::PullRefused(_)
            | Self::PullClosed
            | Self::HeadMoved
            | Self::Cycle(_)
            | Self::BlockersMissing(_)
            | Self::NoEvidence
            | Self::Inherited => false,
        }
    }

    /// The name of the obstacle in status, `explain` and their JSON. The contract's names come first; other names cover
    /// the rest.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        match self {
            Self::Cycle(_) => "deps",
            Self::BlockersMissing(_) => "deps-missing",
            Self::WrongBase(_) => "merge-target",
            Self::Unreadable { .. } => "unreadable",
            Self::CiOnly => "ci-only",
            Self::Conflict
            | Self::ConflictUnseen { .. }
            | Self::LaneSpent { lane: Lane::MergeConflict, .. } => "merge-conflict",
            Self::Behind | Self::UpdateRefused(_) => "auto-update",
            Self::LaneSpent { lane: Lane::CiDebug, .. } => "ci-failure",
            Self::StepSpent { .. }
            | Self::CouldNotRun { .. }
            | Self::Stalled { .. }
            | Self::Interrupted
            | Self::MergeRefused(_)
            | Self::PushRefused(_)
            | Self::PullRefused(_) => "runtime-error",
            Self::BudgetSpent { .. } => "budget",
            Self::ProductGap(_) => "product-gap",
            Self::Routed(_) => "planner",
            Self::ContractSurface(_) => "contract-surface",
            Self::PlanRejected(_) => "plan-review",
            Self::TestsChanged(_) => "test-integrity",
            Self::MissingVerdict(_) => "missing-verdict",
            Self::CloseOrClarify(_) => "close-or-clarify",
            Self::PullClosed => "pull-closed",
            Self::HeadMoved => "head-moved",
            Self::NoEvidence => "no-evidence",
            Self::Inherited => "inherited",
        }
    }
}

/// Causes of earlier versions that no longer occur: required checks that failed or did not report in time, before there
/// was a lane that repairs them.
const RED_CHECKS: [&str; 2] = ["checks_failed", "checks_timed_out"];

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for Cause {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = Value::deserialize(from)?;
        let Some(names) = RED_CHECKS.iter().find_map(|name| stored.get(name)) else {
            return Self::deserialize(stored).map_err(D::Error::custom);
        };
        let failing = Vec::deserialize(names).map_err(D::Error::custom)?;
        let (lane, end) = (Lane::CiDebug, LaneEnd::Attempts);
        Ok(Self::LaneSpent { lane, end, attempts: 0, failing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_of_earlier_versions_are_read_as_what_they_would_be_today() {
        for stored in [r#"{"checks_failed":["ci"]}"#, r#"{"checks_timed_out":["ci"]}"#] {
            let cause: Cause = serde_json::from_str(stored).unwrap();
            let Cause::LaneSpent { lane: Lane::CiDebug, attempts: 0, failing, .. } = cause else {
                panic!("{cause:?}")
            };
            assert_eq!(failing, ["ci"]);
        }
    }

    #[test]
    fn a_cause_is_read_as_it_was_written() {
        let spent = Cause::StepSpent { step: Step::Plan, reason: "why".to_owned() };
        for cause in [Cause::Conflict, Cause::Routed("why".to_owned()), spent] {
            let stored = serde_json::to_string(&cause).unwrap();
            assert_eq!(serde_json::from_str::<Cause>(&stored).unwrap(), cause);
        }
    }
}
