//! The policy that follows from a configuration.

use super::{Config, RepoConfig};
use ralph_core::ids::Login;
use ralph_core::job::Role;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Limits, Policy, RepoPolicy};
use ralph_core::time::Span;
use ralph_github::Address;
use std::collections::BTreeMap;

/// Claims per slot when nothing is said: enough to keep slots busy while others wait for CI.
const CLAIMS_PER_SLOT: u32 = 4;

impl Config {
    /// The policy of these settings, for an account `bot` and worktrees below this root.
    #[must_use]
    pub fn policy(&self, bot: Login, worktrees: ManagedRoot, draining: bool) -> Policy {
        let repos = self.repos.iter().map(|(name, repo)| (name.clone(), self.repo_policy(repo)));
        Policy {
            web: Address::parse(&self.forge.url)
                .map(|address| address.git().to_owned())
                .unwrap_or_default(),
            max_workers: self.max_workers,
            poll_interval: self.poll_interval,
            read_lag: self.forge.read_lag,
            bot,
            operator: self.operator.clone(),
            worktrees,
            draining,
            has_no_sandbox: false,
            is_short_of_disk: false,
            throttle: self.throttle.clone(),
            budget: self.budget,
            accounts: Role::ALL.map(|role| (role, self.accounts_of(role))).into(),
            left_out: std::collections::BTreeSet::new(),
            instance: None,
            repos: repos.collect(),
        }
    }

    fn repo_policy(&self, repo: &RepoConfig) -> RepoPolicy {
        let slots = repo.policy.slots;
        RepoPolicy {
            claims_max: self.claims_max.unwrap_or_else(|| slots.saturating_mul(CLAIMS_PER_SLOT)),
            prompts: self.role_texts.clone(),
            limits: Limits {
                turn_timeout: self.agent.turn_timeout,
                role_turn_timeouts: self.role_turn_timeouts(),
                ..repo.policy.limits.clone()
            },
            ..repo.policy.clone()
        }
    }

    /// The limits of the roles that have their own table.
    fn role_turn_timeouts(&self) -> BTreeMap<Role, Span> {
        let own = |role: Role| Some((role, self.roles.get(role.name())?.turn_timeout));
        Role::ALL.into_iter().filter_map(own).collect()
    }
}
