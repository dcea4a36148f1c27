//! A repository: its branches, commands, gates, limits and share of the work.

use super::queue_rule::QueueRule;
use super::words::{
    BRANCH, GATE_NEVER_SKIPPED, GATE_RULE, GATE_RULE_OR_ADVISORY, MERGE_METHOD, REPO_NAME, TEXT,
    list,
};
use crate::config::GateRule;
use crate::config::kind::{Count, Flag, Length, List, Maybe, Share, Word};
use crate::config::setting::{Section, Setting};
use ralph_core::bound::Bound;
use ralph_core::ids::{Branch, RepoName};
use ralph_core::policy::{Limits, MergeMethod, RepoPolicy};
use ralph_core::steps::Step;
use ralph_core::time::Span;

pub(in crate::config) static REPO: Section = Section {
    heading: "[[repos]]",
    says: "One table per repository that Ralph works on.",
    settings: &[
        &NAME,
        &BOT_BRANCH,
        &SETUP,
        &PREFLIGHT_COMMAND,
        &REQUIRED_CHECKS,
        &CONCURRENCY_SLOTS,
        &SCHEDULER_PRIORITY,
        &ROLLUP_BATCH_SIZE,
        &ROLLUP_IDLE,
        &MERGE_METHOD_OF_REPO,
        &SETUP_TIMEOUT,
        &PREFLIGHT_TIMEOUT,
        &CI_TIMEOUT,
        &SETUP_ATTEMPTS,
        &PLAN_ATTEMPTS,
        &IMPLEMENT_ATTEMPTS,
        &VERDICT_REPAIRS,
        &STALLS_MAX,
        &INTERRUPTIONS_MAX,
        &CACHE_DIRS,
        &TEST_GLOBS,
        &FILE_MB_MAX,
        &CLAIMS_FILE,
        &AUTO_QUEUE,
        &SURVEY,
        &BATCH_MAX,
        &BATCH_WAIT,
    ],
    tables: &["lanes", "gates"],
};

const TRIES: Count = Count { min: 1, max: 100 };
const TIMEOUT: Length = Length { min: Span::from_secs(1), max: Span::from_mins(24 * 60) };

pub(in crate::config) static NAME: Setting<Maybe<Word<RepoName>>> = Setting {
    name: "name",
    kind: Maybe(REPO_NAME),
    default: || None,
    says: "The repository. Required.",
};

pub(in crate::config) static BOT_BRANCH: Setting<Word<Branch>> = Setting {
    name: "bot_branch",
    kind: BRANCH,
    default: || RepoPolicy::default().bot_branch,
    says: "Where task pull requests are merged. The default branch here means: no rollups.",
};

pub(in crate::config) static SETUP: Setting<List<Word<String>>> = Setting {
    name: "setup",
    kind: list(TEXT),
    default: Vec::new,
    says: "Commands run in a fresh worktree before the first step, and in each clean checkout before preflight.",
};

pub(in crate::config) static PREFLIGHT_COMMAND: Setting<Maybe<List<Word<String>>>> = Setting {
    name: "preflight_command",
    kind: Maybe(list(TEXT)),
    default: || None,
    says: "Commands that must pass on a commit before its pull request is opened. Not set: no issue of this \
           repository is claimed. `[]`: skipped on purpose.",
};

pub(in crate::config) static REQUIRED_CHECKS: Setting<Maybe<List<Word<String>>>> = Setting {
    name: "required_checks",
    kind: Maybe(list(TEXT)),
    default: || None,
    says: "Checks that must succeed before a merge. Not set: what branch protection requires. `[]`: skipped \
           on purpose. With admin rights Ralph keeps the bot branch and the default branch requiring them too.",
};

pub(in crate::config) static CONCURRENCY_SLOTS: Setting<Count> = Setting {
    name: "concurrency_slots",
    kind: Count { min: 1, max: 256 },
    default: || RepoPolicy::default().slots,
    says: "Processes that run at once for this repository.",
};

pub(in crate::config) static SCHEDULER_PRIORITY: Setting<Share> = Setting {
    name: "scheduler_priority",
    kind: Share { min_milli: 100, max_milli: 10_000 },
    default: || RepoPolicy::default().weight_milli,
    says: "Share of the work against other repositories.",
};

pub(in crate::config) static ROLLUP_BATCH_SIZE: Setting<Count> = Setting {
    name: "rollup_batch_size",
    kind: Count { min: 1, max: 1_000 },
    default: || RepoPolicy::default().rollup_batch,
    says: "Merged task pull requests after which a rollup to the default branch is opened.",
};

pub(in crate::config) static ROLLUP_IDLE: Setting<Length> = Setting {
    name: "rollup_idle",
    kind: Length { min: Span::ZERO, max: Span::from_mins(30 * 24 * 60) },
    default: || RepoPolicy::default().rollup_idle,
    says: "A smaller rollup is opened when nothing was merged for this long. \"0s\": as soon as the queue is \
           empty.",
};

pub(in crate::config) static MERGE_METHOD_OF_REPO: Setting<Word<MergeMethod>> = Setting {
    name: "merge_method",
    kind: MERGE_METHOD,
    default: || RepoPolicy::default().merge_method,
    says: "How task pull requests are merged.",
};

pub(in crate::config) static SETUP_TIMEOUT: Setting<Length> = Setting {
    name: "setup_timeout",
    kind: TIMEOUT,
    default: || Limits::default().setup_timeout,
    says: "Longest time for each setup command.",
};

pub(in crate::config) static PREFLIGHT_TIMEOUT: Setting<Length> = Setting {
    name: "preflight_timeout",
    kind: TIMEOUT,
    default: || Limits::default().preflight_timeout,
    says: "Longest time for all preflight commands together; beyond it preflight has failed.",
};

pub(in crate::config) static CI_TIMEOUT: Setting<Length> = Setting {
    name: "ci_timeout",
    kind: Length { min: Span::from_secs(1), max: Span::from_mins(7 * 24 * 60) },
    default: || Limits::default().ci_timeout,
    says: "Longest time from the last push to the last required check.",
};

pub(in crate::config) static SETUP_ATTEMPTS: Setting<Count> = Setting {
    name: "setup_attempts",
    kind: TRIES,
    default: || Bound::Step(Step::Setup).default_limit(),
    says: "Tries of the setup commands in one run.",
};

pub(in crate::config) static VERDICT_REPAIRS: Setting<Count> = Setting {
    name: "verdict_repairs",
    kind: Count { min: 0, max: 10 },
    default: || Bound::VERDICT_REPAIRS.default_limit(),
    says: "How often a reviewer that gave no valid verdict is asked for it again; then a person is asked.",
};

pub(in crate::config) static PLAN_ATTEMPTS: Setting<Count> = Setting {
    name: "plan_attempts",
    kind: TRIES,
    default: || Bound::Step(Step::Plan).default_limit(),
    says: "Plans written in one run, the first and its revisions.",
};

pub(in crate::config) static IMPLEMENT_ATTEMPTS: Setting<Count> = Setting {
    name: "implement_attempts",
    kind: TRIES,
    default: || Bound::Step(Step::Implement).default_limit(),
    says: "Implementation turns in one run, the first and its repairs.",
};

pub(in crate::config) static STALLS_MAX: Setting<Count> = Setting {
    name: "stalls_max",
    kind: TRIES,
    default: || Bound::STALLS.default_limit(),
    says: "Turns of one run that may stall. The first is resumed in its session and told what was seen, the \
           next begin a fresh session, at the last a person is asked. A stall costs no attempt.",
};

pub(in crate::config) static INTERRUPTIONS_MAX: Setting<Count> = Setting {
    name: "interruptions_max",
    kind: TRIES,
    default: || Bound::INTERRUPTIONS.default_limit(),
    says: "Times one step may be cut short by the end of Ralph itself, without progress in between, before a \
           person is asked.",
};

pub(in crate::config) static CACHE_DIRS: Setting<List<Word<String>>> = Setting {
    name: "cache_dirs",
    kind: list(TEXT),
    default: Vec::new,
    says: "Folders kept between the clean checkouts that setup and preflight run in, relative to the \
           repository.",
};

pub(in crate::config) static TEST_GLOBS: Setting<List<Word<String>>> = Setting {
    name: "test_globs",
    kind: list(TEXT),
    default: Vec::new,
    says: "Patterns of files that are tests, besides those that are usual for a language: `**` stands for \
           folders, `*` and `?` within a name, and a pattern without `/` is one of a name. Changes are judged by the \
           base's version of them.",
};

pub(in crate::config) static FILE_MB_MAX: Setting<Count> = Setting {
    name: "file_mb_max",
    kind: Count { min: 1, max: 10_000 },
    default: || 100,
    says: "Largest file in megabytes (1,048,576 bytes) that a change may bring in. GitHub takes no more than 100.",
};

pub(in crate::config) static CLAIMS_FILE: Setting<Word<String>> = Setting {
    name: "claims_file",
    kind: TEXT,
    default: || RepoPolicy::default().claims_file,
    says: "Where the repository keeps its claims ledger. If there is such a file, the review of a plan is shown it.",
};

pub(in crate::config) static AUTO_QUEUE: Setting<QueueRule> = Setting {
    name: "auto_queue",
    kind: QueueRule,
    default: || RepoPolicy::default().auto_queue,
    says: "Which issues are worked on. `labeled-only`: those that somebody asked for. `all-open`: every open one, \
           whoever wrote it, until a person takes it out of the queue. `all-open-dry-run`: as `labeled-only`, \
           and `ralph status` shows what `all-open` would take.",
};

pub(in crate::config) static SURVEY: Setting<Flag> = Setting {
    name: "survey",
    kind: Flag,
    default: || RepoPolicy::default().survey,
    says: "Whether an agent (role `survey`) looks for small fixes beside the task once its pull request is open, \
           while the checks run. Each becomes one issue. Ralph queues those by itself that touch few files and change \
           no behaviour; the others wait for a person.",
};

pub(in crate::config) static BATCH_MAX: Setting<Count> = Setting {
    name: "batch_max",
    kind: Count { min: 1, max: 50 },
    default: || RepoPolicy::default().batch_max,
    says: "Pull requests that have to be tested again because the bot branch moved on, and are tested together at \
           most: in a draft of their own, with one run of the required checks. How many are really taken follows \
           from how many failed lately. 1 tests each alone, as does a bot branch that wants up-to-date heads.",
};

pub(in crate::config) static BATCH_WAIT: Setting<Length> = Setting {
    name: "batch_wait",
    kind: Length { min: Span::ZERO, max: Span::from_mins(60) },
    default: || RepoPolicy::default().batch_wait,
    says: "How long after its own checks passed a pull request that has to be tested again waits for others to be \
           tested with. 0s tests it at once, alone if nobody else is ready.",
};

pub(in crate::config) static LANES: Section = Section {
    heading: "[repos.lanes]",
    says: "How often a run may try to repair itself before it asks a person.",
    settings: &[
        &CI_DEBUG_ATTEMPTS,
        &MERGE_CONFLICT_ATTEMPTS,
        &BRANCH_UPDATE_ATTEMPTS,
        &CONFLICT_LOOKS,
        &PARENT_VERIFY_ATTEMPTS,
    ],
    tables: &[],
};

pub(in crate::config) static CI_DEBUG_ATTEMPTS: Setting<Count> = Setting {
    name: "ci_debug_attempts",
    kind: TRIES,
    default: || Bound::CI_DEBUG.default_limit(),
    says: "Tries in a row to make red required checks green, the one in the session that made the change included. \
           Once they are green, it counts from the start.",
};

pub(in crate::config) static MERGE_CONFLICT_ATTEMPTS: Setting<Count> = Setting {
    name: "merge_conflict_attempts",
    kind: TRIES,
    default: || Bound::MERGE_CONFLICT.default_limit(),
    says: "Tries in a row to resolve a conflict with the bot branch, each in a run of its own. Once a resolution is \
           pushed, it counts from the start.",
};

pub(in crate::config) static BRANCH_UPDATE_ATTEMPTS: Setting<Count> = Setting {
    name: "branch_update_attempts",
    kind: TRIES,
    default: || Bound::BRANCH_UPDATES.default_limit(),
    says: "Times that a run has the forge merge the bot branch into a pull request that is behind, where the bot \
           branch requires up-to-date heads.",
};

pub(in crate::config) static CONFLICT_LOOKS: Setting<Count> = Setting {
    name: "conflict_looks",
    kind: TRIES,
    default: || Bound::CONFLICT_LOOKS.default_limit(),
    says: "Times that a run merges the same commit of the bot branch because the forge sees a conflict where git sees \
           none.",
};

pub(in crate::config) static PARENT_VERIFY_ATTEMPTS: Setting<Count> = Setting {
    name: "parent_verify_attempts",
    kind: TRIES,
    default: || Bound::Step(Step::ParentVerify).default_limit(),
    says: "Turns that look whether anything is left of an issue whose sub-issues are resolved. If none can \
           tell, it is worked on.",
};

pub(in crate::config) static GATES: Section = Section {
    heading: "[repos.gates]",
    says: "Gates that this repository does without, or wants to hear of only.",
    settings: &[&PLAN_REVIEW, &PREFLIGHT, &TEST_INTEGRITY, &PRODUCT_REVIEW, &DEVEX_REVIEW, &CI],
    tables: &[],
};

pub(in crate::config) static PLAN_REVIEW: Setting<Word<GateRule>> = Setting {
    name: "plan_review",
    kind: GATE_NEVER_SKIPPED,
    default: || GateRule::Require,
    says: "The review of the plan before anything is implemented.",
};

pub(in crate::config) static PREFLIGHT: Setting<Word<GateRule>> = Setting {
    name: "preflight",
    kind: GATE_RULE,
    default: || GateRule::Require,
    says: "The commands in `preflight_command`.",
};

pub(in crate::config) static TEST_INTEGRITY: Setting<Word<GateRule>> = Setting {
    name: "test_integrity",
    kind: GATE_RULE_OR_ADVISORY,
    default: || GateRule::Require,
    says: "Preflight once more with the base's version of tests and check definitions that the change touches and the \
           plan does not name, and without new tests. `advisory`: a failure is told and stops nothing.",
};

pub(in crate::config) static PRODUCT_REVIEW: Setting<Word<GateRule>> = Setting {
    name: "product_review",
    kind: GATE_RULE,
    default: || GateRule::Require,
    says: "The review for whether the change does what the issue asks for.",
};

pub(in crate::config) static DEVEX_REVIEW: Setting<Word<GateRule>> = Setting {
    name: "devex_review",
    kind: GATE_RULE,
    default: || GateRule::Require,
    says: "The review for whether the change is good to live with for those who maintain it.",
};

pub(in crate::config) static CI: Setting<Word<GateRule>> = Setting {
    name: "ci",
    kind: GATE_RULE,
    default: || GateRule::Require,
    says: "The required checks on the pull request.",
};
