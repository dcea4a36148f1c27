//! What the operator has set: limits, branches, commands to run. Decisions read it as an argument; nothing
//! here reads a file, so that a reload is just another value.

use crate::effect::{Effect, MachineAct};
use crate::ids::{Branch, Login, RepoName};
use crate::job::Role;
use crate::lane::Lane;
use crate::managed_path::ManagedRoot;
use crate::recipe::Step;
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

/// How often and how long a step may be tried. Every count is kept in the run, so a restart resets none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub workspace_tries: u32,
    pub setup_tries: u32,
    /// Turns that verify whether anything is left of a parent.
    pub verify_turns: u32,
    /// Plans written in one run: the first and its revisions.
    pub plan_turns: u32,
    /// Implementation turns in one run, first and repairs together.
    pub implement_turns: u32,
    /// Preflights that could not start or died without a command failing.
    pub preflight_tries: u32,
    /// Review turns that died without an answer.
    pub review_failures: u32,
    /// Prompts that ask only for a valid verdict line.
    pub verdict_repairs: u32,
    /// Turns of one run that stall: the last of them asks for a person.
    pub stalls: u32,
    /// Deaths of Ralph itself without progress in between.
    pub interruptions: u32,
    pub push_refusals: u32,
    pub pull_refusals: u32,
    pub merge_refusals: u32,
    /// Tests anew because the bot branch had moved on meanwhile.
    pub refreshes: u32,
    /// Tries to make red required checks green, until somebody queues the issue again.
    pub ci_debug_attempts: u32,
    /// Tries to resolve a conflict with the bot branch, likewise.
    pub merge_conflict_attempts: u32,
    /// How often a branch that is behind a strict one is brought up to date in one run.
    pub branch_updates: u32,
    /// How often one base is merged to look for a conflict that the forge sees and git does not.
    pub conflict_looks: u32,
    pub update_refusals: u32,
    pub workspace_timeout: Span,
    pub setup_timeout: Span,
    pub turn_timeout: Span,
    /// Roles whose turns have a limit of their own.
    pub role_turn_timeouts: BTreeMap<Role, Span>,
    pub preflight_timeout: Span,
    /// From the last push to the last required check.
    pub ci_timeout: Span,
}

/// How much longer than its limit a process is waited for. Whoever runs it keeps the limit, and can say which
/// command ran into it and what that had written. This is for what lies around the command: a checkout to
/// be made before it, changes to be taken after it.
const GRACE: Span = Span::from_mins(2);

/// The wait beyond the limit of a step. Only a workspace has no other clock than this one.
pub(crate) const fn grace_of(step: Step) -> Span {
    match step {
        Step::Workspace => Span::ZERO,
        Step::Setup
        | Step::ParentVerify
        | Step::Plan
        | Step::PlanReview
        | Step::Implement
        | Step::Repair
        | Step::Preflight
        | Step::Integrity
        | Step::ProductReview
        | Step::DevexReview
        | Step::Publish
        | Step::Survey
        | Step::Checks
        | Step::Merge => GRACE,
    }
}

/// A survey takes no longer, whatever other turns may take: its run waits for it.
const SURVEY_TURN_MAX: Span = Span::from_mins(15);

impl Limits {
    /// How long one turn of this role may take.
    #[must_use]
    pub fn turn_timeout_of(&self, role: Role) -> Span {
        let limit = self.role_turn_timeouts.get(&role).copied().unwrap_or(self.turn_timeout);
        if role == Role::Survey { limit.min(SURVEY_TURN_MAX) } else { limit }
    }

    /// How often a lane may try.
    #[must_use]
    pub const fn attempts_of(&self, lane: Lane) -> u32 {
        match lane {
            Lane::CiDebug => self.ci_debug_attempts,
            Lane::MergeConflict => self.merge_conflict_attempts,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workspace_tries: 3,
            setup_tries: 2,
            verify_turns: 3,
            plan_turns: 3,
            implement_turns: 3,
            preflight_tries: 2,
            review_failures: 3,
            verdict_repairs: 2,
            stalls: 3,
            interruptions: 10,
            push_refusals: 2,
            pull_refusals: 2,
            merge_refusals: 5,
            refreshes: 6,
            ci_debug_attempts: 3,
            merge_conflict_attempts: 2,
            branch_updates: 2,
            conflict_looks: 2,
            update_refusals: 2,
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
