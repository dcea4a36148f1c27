//! The operator's policy: limits, branches, commands to run. Decisions read it as an argument; nothing here reads a
//! file, so that a reload is just another value.

use crate::account::AccountName;
use crate::bound::{Bound, Bounds};
use crate::budget::Budget;
use crate::effect::{Effect, MachineAct};
use crate::ids::{Branch, Login, RepoName};
use crate::managed_path::ManagedRoot;
use crate::role::Role;
use crate::role_text::RoleText;
use crate::throttle::Throttle;
use crate::time::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Settings that hold for all repositories, and each repository's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Agent, setup and gate processes running at once, over all repositories.
    pub max_workers: u32,
    /// Time between two reads of the same thing, when no webhook reports a change.
    pub poll_interval: Span,
    /// The time that the forge's reads may lag behind its writes. Only after it does Ralph look whether an effect
    /// without an answer has happened. At most `fold::READ_LAG`.
    pub read_lag: Span,
    /// Ralph's own login: comments by it are Ralph's.
    pub bot: Login,
    /// The forge's address for people, without a slash at its end: `https://github.com`.
    pub web: String,
    /// The person mentioned when one is needed; by default the repository's owner.
    pub operator: Option<Login>,
    /// Worktrees lie below this folder and nowhere else.
    pub worktrees: ManagedRoot,
    /// While draining nothing new is claimed or started.
    pub draining: bool,
    /// Nothing is claimed or started: no sandbox works on this machine, and the operator has not allowed work
    /// without one.
    pub has_no_sandbox: bool,
    /// Nothing is claimed or started: the disk has less room than the operator wants to be left.
    pub is_short_of_disk: bool,
    /// The limits of accounts, and the parts of them that are used.
    pub throttle: Throttle,
    pub budget: Budget,
    /// Repositories that are configured and in which nothing can be done for now.
    pub left_out: BTreeSet<RepoName>,
    /// This Ralph among all that may work on the same repositories. `None`: it leaves no marks, and heeds none.
    pub instance: Option<Instance>,
    /// The accounts that the turns of a role may use. Roles that are missing here share one.
    pub accounts: BTreeMap<Role, Vec<AccountName>>,
    pub repos: BTreeMap<RepoName, RepoPolicy>,
}

impl Policy {
    /// The accounts of a role, at least one.
    #[must_use]
    pub fn accounts_of(&self, role: Role) -> Vec<AccountName> {
        let named = self.accounts.get(&role).filter(|names| !names.is_empty());
        named.cloned().unwrap_or_else(|| vec![AccountName::default()])
    }

    /// Every account that any role may use.
    #[must_use]
    pub fn all_accounts(&self) -> BTreeSet<AccountName> {
        Role::ALL.into_iter().flat_map(|role| self.accounts_of(role)).collect()
    }

    /// True if turns are counted against a limit, so that one of which nothing is told counts too.
    #[must_use]
    pub const fn counts_usage(&self) -> bool {
        self.budget.is_set() || !self.throttle.windows.is_empty()
    }

    /// The settings of a repository; `None` means Ralph has no business there.
    #[must_use]
    pub fn repo(&self, name: &RepoName) -> Option<&RepoPolicy> {
        self.repos.get(name)
    }

    /// Returns whether an effect is allowed at all. In a repository that is not configured none is, but a process on
    /// this machine may always be ended.
    #[must_use]
    pub fn allows(&self, effect: &Effect) -> bool {
        let is_end = matches!(effect, Effect::Machine(_, MachineAct::End { .. }));
        self.repo(effect.repo()).is_some() || is_end
    }

    /// Returns whether nothing may be claimed or started now.
    #[must_use]
    pub const fn starts_nothing(&self) -> bool {
        self.draining || self.has_no_sandbox || self.is_short_of_disk
    }

    /// The person to mention in an escalation of this repository.
    #[must_use]
    pub fn operator_of(&self, repo: &RepoName) -> Login {
        self.operator.clone().unwrap_or_else(|| Login::new(repo.owner()))
    }
}

/// One start of one Ralph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The state store, by a name that was drawn when it was made.
    pub store: String,
    /// This start of it, by a name that no other start has.
    pub start: String,
    /// For people.
    pub name: String,
    /// The store was last written so long ago that an old copy could have been put in its place.
    pub was_away: bool,
    /// The store lacks what the last start in its home has written: an old copy was put in its place.
    pub is_behind: bool,
}

/// One repository's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoPolicy {
    pub bot_branch: Branch,
    pub setup: Vec<String>,
    /// `None`: not configured, so nothing is claimed. Empty: skipped on purpose.
    pub preflight: Option<Vec<String>>,
    /// `None`: whatever branch protection requires. Empty: CI is skipped on purpose.
    pub required_checks: Option<Vec<String>>,
    pub skipped_gates: BTreeSet<crate::gate::Gate>,
    /// Gates whose failure is reported and stops nothing.
    pub advisory_gates: BTreeSet<crate::gate::Gate>,
    /// Patterns of files that are tests, besides those that are usual for a language.
    pub test_globs: Vec<String>,
    /// The path of the repository's claims ledger, if it has one.
    pub claims_file: String,
    /// Processes at once for this repository.
    pub slots: u32,
    /// Share of claims against other repositories, in thousandths (1000 = 1.0).
    pub weight_milli: u32,
    /// Issues claimed at once, those that merely wait for CI included.
    pub claims_max: u32,
    /// The open issues that are queued without a request.
    pub auto_queue: AutoQueue,
    /// Ready changes that are tried together at most; 1 tests each alone.
    pub batch_max: u32,
    /// The time after its own checks passed that a change which has to be tested again waits for others.
    pub batch_wait: Span,
    /// Every task is followed by a look for small fixes beside it.
    pub survey: bool,
    /// Comments of people with write access during a run reach its agents as messages.
    pub steer_by_comment: bool,
    /// Merged pull requests after which a rollup is opened.
    pub rollup_size: u32,
    pub rollup_idle: Span,
    pub merge_method: MergeMethod,
    /// The operator's own texts in the prompts of roles.
    pub prompts: BTreeMap<Role, RoleText>,
    pub limits: Limits,
}

/// The issues of a repository that come into the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoQueue {
    /// Those that a person asked for.
    #[default]
    LabeledOnly,
    /// Every open one, by any author.
    AllOpen,
    /// Those that a person asked for; `status` shows the others as candidates.
    AllOpenDryRun,
}

/// The method by which pull requests are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    Merge,
    Squash,
    Rebase,
}

/// The number of tries and the time that a step may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub bounds: Bounds,
    pub workspace_timeout: Span,
    /// For each command.
    pub setup_timeout: Span,
    pub turn_timeout: Span,
    /// Roles whose turns have their own limit.
    pub role_turn_timeouts: BTreeMap<Role, Span>,
    /// For all commands together.
    pub preflight_timeout: Span,
    /// From the last push to the last required check.
    pub ci_timeout: Span,
}

impl Limits {
    /// The number of times that this may be done.
    #[must_use]
    pub fn of(&self, bound: Bound) -> u32 {
        self.bounds.of(bound)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bounds: Bounds::default(),
            workspace_timeout: Span::from_mins(10),
            setup_timeout: Span::from_mins(10),
            turn_timeout: Span::from_mins(30),
            role_turn_timeouts: BTreeMap::new(),
            preflight_timeout: Span::from_mins(2),
            ci_timeout: Span::from_mins(45),
        }
    }
}

impl RepoPolicy {
    /// Returns whether the operator has configured preflight, or skipped it.
    #[must_use]
    pub fn knows_preflight(&self) -> bool {
        self.preflight.is_some() || self.skipped_gates.contains(&crate::gate::Gate::Preflight)
    }

    /// Returns whether preflight is configured and has no command to judge a change by.
    #[must_use]
    pub fn has_no_commands(&self) -> bool {
        self.knows_preflight() && self.preflight.as_ref().is_none_or(Vec::is_empty)
    }

    /// Checks that the forge is to require too.
    #[must_use]
    pub fn kept_checks(&self) -> &[String] {
        let is_skipped = self.skipped_gates.contains(&crate::gate::Gate::Ci);
        self.required_checks.as_deref().filter(|_| !is_skipped).unwrap_or_default()
    }
}

impl Default for RepoPolicy {
    fn default() -> Self {
        Self {
            bot_branch: Branch::new("bot/integration"),
            setup: Vec::new(),
            preflight: None,
            required_checks: None,
            skipped_gates: BTreeSet::new(),
            advisory_gates: BTreeSet::new(),
            test_globs: Vec::new(),
            claims_file: "claims/canonical.jsonl".to_owned(),
            slots: 1,
            weight_milli: 1_000,
            claims_max: 4,
            auto_queue: AutoQueue::default(),
            batch_max: 8,
            batch_wait: Span::from_secs(30),
            survey: false,
            steer_by_comment: true,
            rollup_size: 10,
            rollup_idle: Span::from_mins(5),
            merge_method: MergeMethod::Merge,
            prompts: BTreeMap::new(),
            limits: Limits::default(),
        }
    }
}
