//! What the operator has set: limits, branches, commands to run. Decisions read it as an argument; nothing
//! here reads a file, so that a reload is just another value.

use crate::bound::{Bound, Bounds};
use crate::effect::{Effect, MachineAct};
use crate::ids::{Branch, Login, RepoName};
use crate::managed_path::ManagedRoot;
use crate::role::Role;
use crate::time::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Settings that hold for all repositories, and each repository's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Agent, setup and gate processes running at once, over all repositories.
    pub max_workers: u32,
    /// Time between two reads of the same thing, when no webhook tells.
    pub poll_interval: Span,
    /// How long the forge's reads may lag behind its writes. Before that has passed, nobody looks whether an
    /// effect without an answer has happened. At most `fold::READ_LAG`.
    pub read_lag: Span,
    /// Ralph's own login: comments by it are Ralph's.
    pub bot: Login,
    /// Where people see the forge, without a slash at its end: `https://github.com`.
    pub web: String,
    /// Who is mentioned when a person is needed; default the repository's owner.
    pub operator: Option<Login>,
    /// Worktrees lie below this folder and nowhere else.
    pub worktrees: ManagedRoot,
    /// While draining nothing new is claimed or started.
    pub draining: bool,
    /// Nothing is claimed or started: no sandbox works on this machine, and the operator has not said to do
    /// without one.
    pub has_no_sandbox: bool,
    /// Repositories that are configured and in which nothing can be done for now.
    pub left_out: BTreeSet<RepoName>,
    /// Which Ralph this is among all that may work on the same repositories. `None`: it leaves no marks, and heeds
    /// none.
    pub instance: Option<Instance>,
    pub repos: BTreeMap<RepoName, RepoPolicy>,
}

impl Policy {
    /// The settings of a repository; `None` means Ralph has no business there.
    #[must_use]
    pub fn repo(&self, name: &RepoName) -> Option<&RepoPolicy> {
        self.repos.get(name)
    }

    /// May this be done at all? Nothing may in a repository that is not configured, but a process on this machine
    /// may always be ended.
    #[must_use]
    pub fn allows(&self, effect: &Effect) -> bool {
        let is_end = matches!(effect, Effect::Machine(_, MachineAct::End { .. }));
        self.repo(effect.repo()).is_some() || is_end
    }

    /// Is nothing to be claimed or started now, whatever waits?
    #[must_use]
    pub const fn starts_nothing(&self) -> bool {
        self.draining || self.has_no_sandbox
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
    /// Gates whose failure is told and stops nothing.
    pub advisory_gates: BTreeSet<crate::gate::Gate>,
    /// Patterns of files that are tests, besides those that are usual for a language.
    pub test_globs: Vec<String>,
    /// Where the repository keeps its claims ledger, if it has one.
    pub claims_file: String,
    /// Processes at once for this repository.
    pub slots: u32,
    /// Share of claims against other repositories, in thousandths (1000 = 1.0).
    pub weight_milli: u32,
    /// Issues claimed at once, those that merely wait for CI included.
    pub claims_max: u32,
    /// Which open issues are queued without being asked for.
    pub auto_queue: AutoQueue,
    /// Ready changes that are tried together at most; 1 tests each alone.
    pub batch_max: u32,
    /// How long after its own checks passed one that has to be tested again waits for others to be tried with.
    pub batch_wait: Span,
    /// Is every task followed by a look for small fixes beside it?
    pub survey: bool,
    pub rollup_batch: u32,
    pub rollup_idle: Span,
    pub merge_method: MergeMethod,
    pub limits: Limits,
}

/// Which issues of a repository come into the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoQueue {
    /// Those that somebody asked for.
    #[default]
    LabeledOnly,
    /// Every open one, whoever wrote it.
    AllOpen,
    /// Those that somebody asked for; of the others `status` says that they would be.
    AllOpenDryRun,
}

/// How a pull request is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    Merge,
    Squash,
    Rebase,
}

/// How often and how long a step may be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub bounds: Bounds,
    pub workspace_timeout: Span,
    /// For each command.
    pub setup_timeout: Span,
    pub turn_timeout: Span,
    /// Roles whose turns have a limit of their own.
    pub role_turn_timeouts: BTreeMap<Role, Span>,
    /// For all commands together.
    pub preflight_timeout: Span,
    /// From the last push to the last required check.
    pub ci_timeout: Span,
}

impl Limits {
    /// How often this may be done.
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
    /// Has the operator said what preflight runs, or that it runs nothing?
    #[must_use]
    pub fn knows_preflight(&self) -> bool {
        self.preflight.is_some() || self.skipped_gates.contains(&crate::gate::Gate::Preflight)
    }

    /// Is there no command that a change could be held against?
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
            rollup_batch: 10,
            rollup_idle: Span::from_mins(5),
            merge_method: MergeMethod::Merge,
            limits: Limits::default(),
        }
    }
}
