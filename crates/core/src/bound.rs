//! Bounds: actions that a run may repeat only so often, the limit of each and its count. Counts are stored with the
//! run, so a restart resets none.

use crate::steps::Step;
use serde::de::value::StrDeserializer;
use serde::de::{Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// An action that a run may repeat only so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Bound {
    /// Attempts at a step. Reviews and commands count only if they gave no result.
    Step(Step),
    Run(RunBound),
}

/// A bound that belongs to no single step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunBound {
    /// Prompts that ask for nothing but a valid verdict line.
    VerdictRepairs,
    /// Turns that made no progress.
    Stalls,
    /// Deaths of Ralph since the last finished step.
    Interruptions,
    /// Turns whose program failed since the last turn that gave an answer.
    AgentFailures,
    /// Turns whose conversation did not fit into the model, since the last turn that gave an answer.
    FullContexts,
    PushRefusals,
    PullRefusals,
    MergeRefusals,
    /// Repeated tests because the bot branch had moved.
    Refreshes,
    /// Requests to the forge to update the branch from its base.
    BranchUpdates,
    UpdateRefusals,
    /// Merges of one base in search of a conflict that the forge reports and git does not find.
    ConflictLooks,
    /// Returns to the run's own session to repair a red check. Each allows one more implementation turn.
    Resumes,
    /// Returns to the agent that made the change because of a message. Each allows one more implementation turn.
    Messages,
    /// Attempts to repair red required checks, until the issue is queued again.
    CiDebug,
    /// Attempts to resolve a conflict with the bot branch, until the issue is queued again.
    MergeConflict,
}

impl Bound {
    pub const VERDICT_REPAIRS: Self = Self::Run(RunBound::VerdictRepairs);
    pub const STALLS: Self = Self::Run(RunBound::Stalls);
    pub const INTERRUPTIONS: Self = Self::Run(RunBound::Interruptions);
    pub const AGENT_FAILURES: Self = Self::Run(RunBound::AgentFailures);
    pub const FULL_CONTEXTS: Self = Self::Run(RunBound::FullContexts);
    pub const PUSH_REFUSALS: Self = Self::Run(RunBound::PushRefusals);
    pub const PULL_REFUSALS: Self = Self::Run(RunBound::PullRefusals);
    pub const MERGE_REFUSALS: Self = Self::Run(RunBound::MergeRefusals);
    pub const REFRESHES: Self = Self::Run(RunBound::Refreshes);
    pub const BRANCH_UPDATES: Self = Self::Run(RunBound::BranchUpdates);
    pub const UPDATE_REFUSALS: Self = Self::Run(RunBound::UpdateRefusals);
    pub const CONFLICT_LOOKS: Self = Self::Run(RunBound::ConflictLooks);
    pub const RESUMES: Self = Self::Run(RunBound::Resumes);
    pub const MESSAGES: Self = Self::Run(RunBound::Messages);
    pub const CI_DEBUG: Self = Self::Run(RunBound::CiDebug);
    pub const MERGE_CONFLICT: Self = Self::Run(RunBound::MergeConflict);

    /// The limit unless the operator sets another.
    #[must_use]
    pub fn default_limit(self) -> u32 {
        match self {
            Self::Step(step) => step.attempts(),
            Self::Run(bound) => match bound {
                RunBound::VerdictRepairs
                | RunBound::PushRefusals
                | RunBound::PullRefusals
                | RunBound::BranchUpdates
                | RunBound::UpdateRefusals
                | RunBound::ConflictLooks
                | RunBound::MergeConflict => 2,
                RunBound::Stalls | RunBound::AgentFailures | RunBound::CiDebug => 3,
                RunBound::MergeRefusals => 5,
                RunBound::Refreshes => 6,
                RunBound::Interruptions => 10,
                // The limits of the lanes already bound the resumes of a run, and those of a step its full contexts.
                // People bound their own messages.
                RunBound::Resumes | RunBound::FullContexts | RunBound::Messages => u32::MAX,
            },
        }
    }
}

/// The limits that the operator has set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bounds(BTreeMap<Bound, u32>);

impl Bounds {
    #[must_use]
    pub fn of(&self, bound: Bound) -> u32 {
        self.0.get(&bound).copied().unwrap_or_else(|| bound.default_limit())
    }

    pub fn set(&mut self, bound: Bound, limit: u32) {
        if limit == bound.default_limit() {
            self.0.remove(&bound);
        } else {
            self.0.insert(bound, limit);
        }
    }
}

impl<const N: usize> From<[(Bound, u32); N]> for Bounds {
    fn from(limits: [(Bound, u32); N]) -> Self {
        let mut bounds = Self::default();
        limits.into_iter().for_each(|(bound, limit)| bounds.set(bound, limit));
        bounds
    }
}

/// The counts of a run. A count only grows within a run, except those that count in a row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Spent(BTreeMap<Bound, u32>);

impl Spent {
    #[must_use]
    pub fn of(&self, bound: Bound) -> u32 {
        self.0.get(&bound).copied().unwrap_or_default()
    }

    pub fn add(&mut self, bound: Bound) {
        let count = self.0.entry(bound).or_default();
        *count = count.saturating_add(1);
    }

    pub fn clear(&mut self, bound: Bound) {
        self.0.remove(&bound);
    }

    /// Returns every bound with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Bound, u32)> + '_ {
        self.0.iter().map(|(bound, count)| (*bound, *count))
    }
}

/// The counts by the names used in the store, former names included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpentByName {
    #[serde(flatten)]
    counts: Spent,
    #[serde(flatten)]
    former: BTreeMap<&'static str, u32>,
}

impl From<&Spent> for SpentByName {
    fn from(spent: &Spent) -> Self {
        let highest = |bounds: &[Bound]| bounds.iter().map(|bound| spent.of(*bound)).max();
        let named = |(name, bounds): &(&'static str, &[Bound])| Some((*name, highest(bounds)?));
        let former = FORMER_NAMES.iter().filter_map(named).filter(|(_, count)| *count > 0);
        Self { counts: spent.clone(), former: former.collect() }
    }
}

/// The counters of the first store format, with the bounds that replace them. A counter that several steps shared
/// counts for each of them.
const FORMER_NAMES: [(&str, &[Bound]); 7] = [
    ("workspace_tries", &[Bound::Step(Step::Workspace)]),
    ("setup_tries", &[Bound::Step(Step::Setup)]),
    ("verify_turns", &[Bound::Step(Step::ParentVerify)]),
    ("plan_turns", &[Bound::Step(Step::Plan)]),
    ("implement_turns", &[Bound::Step(Step::Implement)]),
    ("preflight_tries", &[Bound::Step(Step::Preflight), Bound::Step(Step::Integrity)]),
    (
        "review_failures",
        &[
            Bound::Step(Step::PlanReview),
            Bound::Step(Step::ProductReview),
            Bound::Step(Step::DevexReview),
        ],
    ),
];

impl<'de> Deserialize<'de> for Spent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = BTreeMap::<String, u32>::deserialize(deserializer)?;
        let mut counts = BTreeMap::new();
        for (name, count) in stored {
            let former = FORMER_NAMES.iter().find(|(former, _)| *former == name);
            if let Some((_, bounds)) = former {
                counts.extend(bounds.iter().map(|bound| (*bound, count)));
                continue;
            }
            let key: StrDeserializer<'_, D::Error> = name.as_str().into_deserializer();
            let bound = Bound::deserialize(key)
                .map_err(|error: D::Error| D::Error::custom(format!("bound `{name}`: {error}")))?;
            counts.insert(bound, count);
        }
        Ok(Self(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_the_first_format_become_counts_by_step() {
        let stored = r#"{"plan_turns":2,"review_failures":1,"stalls":3}"#;
        let spent: Spent = serde_json::from_str(stored).unwrap();
        let counts: Vec<u32> = [
            Bound::Step(Step::Plan),
            Bound::Step(Step::PlanReview),
            Bound::Step(Step::DevexReview),
            Bound::STALLS,
            Bound::Step(Step::Setup),
        ]
        .map(|bound| spent.of(bound))
        .to_vec();
        assert_eq!(counts, [2, 1, 1, 3, 0]);
        let written = serde_json::to_string(&spent).unwrap();
        assert_eq!(
            written,
            r#"{"plan":2,"plan_review":1,"product_review":1,"devex_review":1,"stalls":3}"#
        );
        assert_eq!(serde_json::from_str::<Spent>(&written).unwrap(), spent);
        assert!(serde_json::from_str::<Spent>(r#"{"luck":1}"#).is_err());
        let named = serde_json::to_value(SpentByName::from(&spent)).unwrap();
        assert_eq!(
            (&named["plan"], &named["plan_turns"], &named["stalls"]),
            (&2.into(), &2.into(), &3.into())
        );
    }
}
