//! A repository: its branches, commands, gates, limits and share of the work.

use super::queue_rule::QueueRule;
use super::words::{
    BRANCH, CHECKS_NETWORK, GATE_NEVER_SKIPPED, GATE_RULE, GATE_RULE_OR_ADVISORY, HOST,
    MERGE_METHOD, REPO_NAME, TEXT, list,
};
use crate::config::kind::{Count, Flag, Length, Maybe, Share};
use crate::config::rules::{BoundSetting, GateSetting};
use crate::config::setting::{Section, Setting};
use ralph_adapters::network::NetworkRule;
use ralph_contain::HostRule;
use ralph_core::bound::Bound;
use ralph_core::gate::Gate;
use ralph_core::ids::RepoName;
use ralph_core::policy::RepoPolicy;
use ralph_core::steps::Step;
use ralph_core::time::Span;

/// One repository's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoConfig {
    pub(in crate::config) name: Option<RepoName>,
    /// The settings that decisions read. `Config::policy` adds what follows from other tables.
    pub policy: RepoPolicy,
    pub cache_dirs: Vec<String>,
    pub(in crate::config) file_mb_max: u32,
    pub(in crate::config) network: ChecksNetwork,
    pub(in crate::config) allow_hosts: Vec<HostRule>,
}

/// The network of setup and preflight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksNetwork {
    /// The package registries of the repository's ecosystems.
    Registries,
    Open,
    None,
}

impl Default for RepoConfig {
    fn default() -> Self {
        let policy = RepoPolicy::default();
        Self {
            name: None,
            policy,
            cache_dirs: Vec::new(),
            file_mb_max: 100,
            network: ChecksNetwork::Registries,
            allow_hosts: Vec::new(),
        }
    }
}

/// The bytes of a megabyte in `file_mb_max`.
const MEGABYTE: u64 = 1024 * 1024;

impl RepoConfig {
    /// The largest file that a change of this repository may have.
    #[must_use]
    pub fn file_bytes_max(&self) -> u64 {
        u64::from(self.file_mb_max).saturating_mul(MEGABYTE)
    }

    /// The hosts that setup and preflight may reach.
    #[must_use]
    pub fn network(&self) -> NetworkRule {
        match self.network {
            ChecksNetwork::Open => NetworkRule::Open,
            ChecksNetwork::None => NetworkRule::None,
            ChecksNetwork::Registries => {
                NetworkRule::Hosts { hosts: self.allow_hosts.clone(), has_registries: true }
            }
        }
    }
}

const TRIES: Count = Count { min: 1, max: 100 };
const TIMEOUT: Length = Length { min: Span::from_secs(1), max: Span::from_mins(24 * 60) };

pub(in crate::config) static REPO: Section<RepoConfig> = Section {
    heading: "[[repos]]",
    says: "One table per repository that Ralph works on.",
    settings: &[
        &Setting::new(
            "name",
            Maybe(REPO_NAME),
            |repo: &mut RepoConfig| &mut repo.name,
            "The repository. Required.",
        ),
        &Setting::new(
            "bot_branch",
            BRANCH,
            |repo: &mut RepoConfig| &mut repo.policy.bot_branch,
            "Where task pull requests are merged. The default branch here means: no \
             rollups.",
        ),
        &Setting::new(
            "setup",
            list(TEXT),
            |repo: &mut RepoConfig| &mut repo.policy.setup,
            "Commands run in a fresh worktree before the first step, and in each clean \
             checkout before preflight.",
        ),
        &Setting::new(
            "preflight_command",
            Maybe(list(TEXT)),
            |repo: &mut RepoConfig| &mut repo.policy.preflight,
            "Commands that must pass on a commit before its pull request is opened. Not \
             set: no issue of this repository is claimed. `[]`: skipped on purpose.",
        ),
        &Setting::new(
            "required_checks",
            Maybe(list(TEXT)),
            |repo: &mut RepoConfig| &mut repo.policy.required_checks,
            "Checks that must succeed before a merge. Not set: what branch protection \
             requires. `[]`: skipped on purpose. With admin rights Ralph keeps the bot \
             branch and the default branch requiring them too.",
        ),
        &Setting::new(
            "concurrency_slots",
            Count { min: 1, max: 256 },
            |repo: &mut RepoConfig| &mut repo.policy.slots,
            "Processes that run at once for this repository.",
        ),
        &Setting::new(
            "scheduler_priority",
            Share { min_milli: 100, max_milli: 10_000 },
            |repo: &mut RepoConfig| &mut repo.policy.weight_milli,
            "Share of the work against other repositories.",
        ),
        &Setting::new(
            "rollup_batch_size",
            Count { min: 1, max: 1_000 },
            |repo: &mut RepoConfig| &mut repo.policy.rollup_size,
            "Merged task pull requests after which a rollup to the default branch is \
             opened.",
        ),
        &Setting::new(
            "rollup_idle",
            Length { min: Span::ZERO, max: Span::from_mins(30 * 24 * 60) },
            |repo: &mut RepoConfig| &mut repo.policy.rollup_idle,
            "A smaller rollup is opened when nothing was merged for this long. \"0s\": as \
             soon as the queue is empty.",
        ),
        &Setting::new(
            "merge_method",
            MERGE_METHOD,
            |repo: &mut RepoConfig| &mut repo.policy.merge_method,
            "How task pull requests are merged.",
        ),
        &Setting::new(
            "setup_timeout",
            TIMEOUT,
            |repo: &mut RepoConfig| &mut repo.policy.limits.setup_timeout,
            "Longest time for each setup command.",
        ),
        &Setting::new(
            "preflight_timeout",
            TIMEOUT,
            |repo: &mut RepoConfig| &mut repo.policy.limits.preflight_timeout,
            "Longest time for all preflight commands together; beyond it preflight has \
             failed.",
        ),
        &Setting::new(
            "ci_timeout",
            Length { min: Span::from_secs(1), max: Span::from_mins(7 * 24 * 60) },
            |repo: &mut RepoConfig| &mut repo.policy.limits.ci_timeout,
            "Longest time from the last push to the last required check.",
        ),
        &BoundSetting {
            name: "setup_attempts",
            kind: TRIES,
            bound: Bound::Step(Step::Setup),
            says: "Tries of the setup commands in one run.",
        },
        &BoundSetting {
            name: "plan_attempts",
            kind: TRIES,
            bound: Bound::Step(Step::Plan),
            says: "Plans written in one run, the first and its revisions.",
        },
        &BoundSetting {
            name: "implement_attempts",
            kind: TRIES,
            bound: Bound::Step(Step::Implement),
            says: "Implementation turns in one run, the first and its repairs.",
        },
        &BoundSetting {
            name: "verdict_repairs",
            kind: Count { min: 0, max: 10 },
            bound: Bound::VERDICT_REPAIRS,
            says: "How often a reviewer that gave no valid verdict is asked for it again; then a \
             person is asked.",
        },
        &BoundSetting {
            name: "stalls_max",
            kind: TRIES,
            bound: Bound::STALLS,
            says: "Turns of one run that may stall. The first is resumed in its session with a \
             description of the stall, the next begin a fresh session, at the last a person \
             is asked. A stall costs no attempt.",
        },
        &BoundSetting {
            name: "interruptions_max",
            kind: TRIES,
            bound: Bound::INTERRUPTIONS,
            says: "Times one step may be cut short by the end of Ralph itself, without progress \
             in between, before a person is asked.",
        },
        &Setting::new(
            "network",
            CHECKS_NETWORK,
            |repo: &mut RepoConfig| &mut repo.network,
            "The hosts that setup, preflight and test integrity reach from the sandbox. \
             `\"registries\"`: the package registries of the ecosystems that the repository has \
             files of (npm, PyPI, crates.io, Go, RubyGems, Maven, Packagist) and `allow_hosts`. \
             `\"open\"`: what the machine reaches. `\"none\"`: nothing.",
        ),
        &Setting::new(
            "allow_hosts",
            list(HOST),
            |repo: &mut RepoConfig| &mut repo.allow_hosts,
            "Further hosts for `network = \"registries\"`, written as in `[agent]`: a private \
             registry, or `github.com` for dependencies that git fetches.",
        ),
        &Setting::new(
            "cache_dirs",
            list(TEXT),
            |repo: &mut RepoConfig| &mut repo.cache_dirs,
            "Folders kept between the clean checkouts that setup and preflight run in, \
             relative to the repository.",
        ),
        &Setting::new(
            "test_globs",
            list(TEXT),
            |repo: &mut RepoConfig| &mut repo.policy.test_globs,
            "Patterns of files that are tests, besides those that are usual for a language: \
             `**` stands for folders, `*` and `?` within a name, and a pattern without `/` \
             is one of a name. Changes are judged by the base's version of them.",
        ),
        &Setting::new(
            "file_mb_max",
            Count { min: 1, max: 10_000 },
            |repo: &mut RepoConfig| &mut repo.file_mb_max,
            "Largest file in megabytes (1,048,576 bytes) that a change may bring in. GitHub \
             takes no more than 100.",
        ),
        &Setting::new(
            "claims_file",
            TEXT,
            |repo: &mut RepoConfig| &mut repo.policy.claims_file,
            "Where the repository keeps its claims ledger. If there is such a file, the \
             review of a plan is shown it.",
        ),
        &Setting::new(
            "auto_queue",
            QueueRule,
            |repo: &mut RepoConfig| &mut repo.policy.auto_queue,
            "The issues that are worked on. `labeled-only`: those that a person asked for. \
             `all-open`: every open one, by any author, until a person takes it out of the \
             queue. `all-open-dry-run`: as `labeled-only`, and `ralph status` shows what \
             `all-open` would take.",
        ),
        &Setting::new(
            "survey",
            Flag,
            |repo: &mut RepoConfig| &mut repo.policy.survey,
            "An agent (role `survey`) looks for small fixes beside the task once its pull \
             request is open, while the checks run. Each becomes one issue. Ralph queues \
             those by itself that touch few files and change no behaviour; the others wait \
             for a person.",
        ),
        &Setting::new(
            "steer_by_comment",
            Flag,
            |repo: &mut RepoConfig| &mut repo.policy.steer_by_comment,
            "Comments of people with write access during a run reach its agents, as messages of `ralph tell` do.",
        ),
        &Setting::new(
            "batch_max",
            Count { min: 1, max: 50 },
            |repo: &mut RepoConfig| &mut repo.policy.batch_max,
            "Pull requests that have to be tested again because the bot branch moved on, \
             and are tested together at most: in one draft pull request, with one run of \
             the required checks. How many are really taken follows from how many failed \
             lately. 1 tests each alone, as does a bot branch that wants up-to-date heads.",
        ),
        &Setting::new(
            "batch_wait",
            Length { min: Span::ZERO, max: Span::from_mins(60) },
            |repo: &mut RepoConfig| &mut repo.policy.batch_wait,
            "The time after its own checks passed that a pull request waits for others to \
             be tested again with. 0s tests it at once, alone if no other is ready.",
        ),
    ],
    tables: &["lanes", "gates"],
    inherits: None,
};

pub(in crate::config) static LANES: Section<RepoConfig> = Section {
    heading: "[repos.lanes]",
    says: "How often a run may try to repair itself before it asks a person.",
    settings: &[
        &BoundSetting {
            name: "ci_debug_attempts",
            kind: TRIES,
            bound: Bound::CI_DEBUG,
            says: "Tries in a row to make red required checks green, the one in the session that \
             made the change included. Once they are green, it counts from the start.",
        },
        &BoundSetting {
            name: "merge_conflict_attempts",
            kind: TRIES,
            bound: Bound::MERGE_CONFLICT,
            says: "Tries in a row to resolve a conflict with the bot branch, each in a separate \
             run. Once a resolution is pushed, it counts from the start.",
        },
        &BoundSetting {
            name: "branch_update_attempts",
            kind: TRIES,
            bound: Bound::BRANCH_UPDATES,
            says: "Times that a run has the forge merge the bot branch into a pull request that \
             is behind, where the bot branch requires up-to-date heads.",
        },
        &BoundSetting {
            name: "conflict_looks",
            kind: TRIES,
            bound: Bound::CONFLICT_LOOKS,
            says: "Times that a run merges the same commit of the bot branch because the forge \
             sees a conflict where git sees none.",
        },
        &BoundSetting {
            name: "parent_verify_attempts",
            kind: TRIES,
            bound: Bound::Step(Step::ParentVerify),
            says: "Turns that look whether anything is left of an issue whose sub-issues are \
             resolved. If none gives an answer, the issue is worked on.",
        },
    ],
    tables: &[],
    inherits: None,
};

pub(in crate::config) static GATES: Section<RepoConfig> = Section {
    heading: "[repos.gates]",
    says: "Gates that this repository does without, or that only report.",
    settings: &[
        &GateSetting {
            name: "plan_review",
            kind: GATE_NEVER_SKIPPED,
            gate: Gate::PlanReview,
            says: "The review of the plan before anything is implemented.",
        },
        &GateSetting {
            name: "preflight",
            kind: GATE_RULE,
            gate: Gate::Preflight,
            says: "The commands in `preflight_command`.",
        },
        &GateSetting {
            name: "test_integrity",
            kind: GATE_RULE_OR_ADVISORY,
            gate: Gate::TestIntegrity,
            says: "Preflight again, with the base's version of tests and check definitions that \
             the change touches and the plan does not name, and without new tests. \
             `advisory`: a failure is reported and stops nothing.",
        },
        &GateSetting {
            name: "product_review",
            kind: GATE_RULE,
            gate: Gate::ProductReview,
            says: "The review for whether the change does what the issue asks for.",
        },
        &GateSetting {
            name: "devex_review",
            kind: GATE_RULE,
            gate: Gate::DevexReview,
            says: "The review for whether the change is good to live with for those who maintain \
             it.",
        },
        &GateSetting {
            name: "ci",
            kind: GATE_RULE,
            gate: Gate::Ci,
            says: "The required checks on the pull request.",
        },
    ],
    tables: &[],
    inherits: None,
};
