//! From what the operator has written to what decisions read.

use super::{Config, RepoConfig};
use ralph_core::bound::{Bound, Bounds};
use ralph_core::ids::Login;
use ralph_core::job::Role;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Limits, Policy, RepoPolicy};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_github::Address;
use std::collections::BTreeMap;

/// Claims per slot when nothing is said: enough to keep slots busy while others wait for CI.
const CLAIMS_PER_SLOT: u32 = 4;

impl Config {
    /// The policy of these settings for whoever `bot` is, with worktrees below this root.
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
            left_out: std::collections::BTreeSet::new(),
            instance: None,
            repos: repos.collect(),
        }
    }

    fn repo_policy(&self, repo: &RepoConfig) -> RepoPolicy {
        let slots = repo.concurrency_slots;
        RepoPolicy {
            bot_branch: repo.bot_branch.clone(),
            setup: repo.setup.clone(),
            preflight: repo.preflight_command.clone(),
            required_checks: repo.required_checks.clone(),
            skipped_gates: repo.skipped_gates.clone(),
            advisory_gates: repo.advisory_gates.clone(),
            test_globs: repo.test_globs.clone(),
            claims_file: repo.claims_file.clone(),
            slots,
            weight_milli: repo.scheduler_priority_milli,
            claims_max: self.claims_max.unwrap_or_else(|| slots.saturating_mul(CLAIMS_PER_SLOT)),
            auto_queue: repo.auto_queue,
            batch_max: repo.batch_max,
            batch_wait: repo.batch_wait,
            survey: repo.survey,
            rollup_batch: repo.rollup_batch_size,
            rollup_idle: repo.rollup_idle,
            merge_method: repo.merge_method,
            limits: Limits {
                bounds: Bounds::from([
                    (Bound::Step(Step::ParentVerify), repo.parent_verify_attempts),
                    (Bound::Step(Step::Setup), repo.setup_attempts),
                    (Bound::Step(Step::Plan), repo.plan_attempts),
                    (Bound::Step(Step::Implement), repo.implement_attempts),
                    (Bound::VERDICT_REPAIRS, repo.verdict_repairs),
                    (Bound::STALLS, repo.stalls_max),
                    (Bound::INTERRUPTIONS, repo.interruptions_max),
                    (Bound::CI_DEBUG, repo.ci_debug_attempts),
                    (Bound::MERGE_CONFLICT, repo.merge_conflict_attempts),
                    (Bound::BRANCH_UPDATES, repo.branch_update_attempts),
                    (Bound::CONFLICT_LOOKS, repo.conflict_looks),
                ]),
                setup_timeout: repo.setup_timeout,
                turn_timeout: self.agent.turn_timeout,
                role_turn_timeouts: self.role_turn_timeouts(),
                preflight_timeout: repo.preflight_timeout,
                ci_timeout: repo.ci_timeout,
                ..Limits::default()
            },
        }
    }

    /// The limits of the roles that have a table of their own.
    fn role_turn_timeouts(&self) -> BTreeMap<Role, Span> {
        let own = |role: Role| Some((role, self.roles.get(role.name())?.turn_timeout));
        Role::ALL.into_iter().filter_map(own).collect()
    }
}

/// What a megabyte of `file_mb_max` is.
const MEGABYTE: u64 = 1024 * 1024;

impl RepoConfig {
    /// The largest file that a change of this repository may have.
    #[must_use]
    pub fn file_bytes_max(&self) -> u64 {
        u64::from(self.file_mb_max).saturating_mul(MEGABYTE)
    }
}
