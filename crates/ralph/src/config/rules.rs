//! Settings of a repository that are kept by what they are about: bounds and gates.

use super::GateRule;
use super::kind::{Count, Kind as _, Word};
use super::setting::Entry;
use super::settings::repos::RepoConfig;
use ralph_core::bound::Bound;
use ralph_core::gate::Gate;
use toml::de::DeValue;

/// The number of times a run may do something.
#[derive(Debug)]
pub(super) struct BoundSetting {
    pub(super) name: &'static str,
    pub(super) kind: Count,
    pub(super) bound: Bound,
    pub(super) says: &'static str,
}

impl Entry<RepoConfig> for BoundSetting {
    fn name(&self) -> &'static str {
        self.name
    }

    fn says(&self) -> &'static str {
        self.says
    }

    fn accepts(&self) -> String {
        self.kind.accepts()
    }

    fn show(&self, repo: &mut RepoConfig) -> String {
        self.kind.show(&repo.policy.limits.of(self.bound))
    }

    fn write(&self, repo: &mut RepoConfig, value: &DeValue<'_>) -> bool {
        let Some(limit) = self.kind.read(value) else { return false };
        repo.policy.limits.bounds.set(self.bound, limit);
        true
    }
}

/// Is a gate required, advisory or skipped?
#[derive(Debug)]
pub(super) struct GateSetting {
    pub(super) name: &'static str,
    pub(super) kind: Word<GateRule>,
    pub(super) gate: Gate,
    pub(super) says: &'static str,
}

impl Entry<RepoConfig> for GateSetting {
    fn name(&self) -> &'static str {
        self.name
    }

    fn says(&self) -> &'static str {
        self.says
    }

    fn accepts(&self) -> String {
        self.kind.accepts()
    }

    fn show(&self, repo: &mut RepoConfig) -> String {
        let is_in = |gates: &std::collections::BTreeSet<Gate>| gates.contains(&self.gate);
        self.kind.show(&match (
            is_in(&repo.policy.skipped_gates),
            is_in(&repo.policy.advisory_gates),
        ) {
            (true, _) => GateRule::Skip,
            (false, true) => GateRule::Advisory,
            (false, false) => GateRule::Require,
        })
    }

    fn write(&self, repo: &mut RepoConfig, value: &DeValue<'_>) -> bool {
        let Some(rule) = self.kind.read(value) else { return false };
        match rule {
            GateRule::Skip => repo.policy.skipped_gates.insert(self.gate),
            GateRule::Advisory => repo.policy.advisory_gates.insert(self.gate),
            GateRule::Require => true,
        };
        true
    }
}
