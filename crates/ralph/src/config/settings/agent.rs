//! Agents: the one for every role, and what single roles have of their own.

use super::words::{AGENT_KIND, PLACE, SANDBOX_RULE, TEXT, VARIABLE, list};
use crate::config::kind::{Count, Length, List, Maybe, Word};
use crate::config::setting::{Section, Setting};
use crate::config::{AgentKind, SandboxRule};
use ralph_adapters::watchdog::StallLimits;
use ralph_core::policy::Limits;
use ralph_core::time::Span;
use std::path::PathBuf;

/// The values of `RALPH_ROLE`.
pub(in crate::config) const ROLE_NAMES: &[&str] = &[
    "plan",
    "plan_review",
    "implement",
    "product_review",
    "devex_review",
    "ci_debug",
    "merge_conflict",
    "parent_verify",
    "survey",
];

pub(in crate::config) static AGENT: Section = Section {
    heading: "[agent]",
    says: "The agent for every role.",
    settings: &[
        &KIND,
        &COMMAND,
        &TURN_TIMEOUT,
        &IDLE_TIMEOUT,
        &REPEAT_TIMEOUT,
        &EDITS_MAX,
        &OUTPUT_MB_MAX,
        &PASS_ENV,
        &SANDBOX,
        &PATHS,
    ],
    tables: &[],
};

/// One change is no loop.
const EDITS: Count = Count { min: 2, max: 10_000 };
const MEGABYTES: Count = Count { min: 1, max: 100_000 };
const MEGABYTE: u64 = 1_000_000;

fn span(duration: std::time::Duration) -> Span {
    Span(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
}

const TIMEOUT: Length = Length { min: Span::from_secs(1), max: Span::from_mins(24 * 60) };

/// One text would hide where the program ends and its arguments begin.
const COMMAND_LINE: List<Word<String>> = List { of: TEXT, items_min: 1, takes_one_alone: false };

pub(in crate::config) static KIND: Setting<Word<AgentKind>> = Setting {
    name: "kind",
    kind: AGENT_KIND,
    default: || AgentKind::Command,
    says: "How the agent is spoken to: any program that reads its prompt from standard input.",
};

pub(in crate::config) static COMMAND: Setting<Maybe<List<Word<String>>>> = Setting {
    name: "command",
    kind: Maybe(COMMAND_LINE),
    default: || None,
    says: "The program and its arguments. Ralph does not run without one.",
};

pub(in crate::config) static TURN_TIMEOUT: Setting<Length> = Setting {
    name: "turn_timeout",
    kind: TIMEOUT,
    default: || Limits::default().turn_timeout,
    says: "Longest turn; the process and all its children end then, and the turn counts as stalled.",
};

pub(in crate::config) static IDLE_TIMEOUT: Setting<Length> = Setting {
    name: "idle_timeout",
    kind: TIMEOUT,
    default: || span(StallLimits::default().idle),
    says: "Longest time without output, a changed file or processor time. At half of it `ralph status` and \
           the log say so; at its end the turn counts as stalled. So do the three limits below.",
};

pub(in crate::config) static REPEAT_TIMEOUT: Setting<Length> = Setting {
    name: "repeat_timeout",
    kind: TIMEOUT,
    default: || span(StallLimits::default().repeats),
    says: "Longest time with nothing but the same lines, no changed file and little processor time.",
};

pub(in crate::config) static EDITS_MAX: Setting<Count> = Setting {
    name: "edits_max",
    kind: EDITS,
    default: || StallLimits::default().edits,
    says: "Changes of one file while nothing is run in between, seen every 15 seconds at most. One that comes \
           back to what it was counts as ten.",
};

pub(in crate::config) static OUTPUT_MB_MAX: Setting<Count> = Setting {
    name: "output_mb_max",
    kind: MEGABYTES,
    default: || u32::try_from(StallLimits::default().output_bytes / MEGABYTE).unwrap_or(u32::MAX),
    says: "Most output of one turn, in megabytes.",
};

pub(in crate::config) static PASS_ENV: Setting<List<Word<String>>> = Setting {
    name: "pass_env",
    kind: list(VARIABLE),
    default: Vec::new,
    says: "Environment variables handed on to the agent; all others but a short list are kept from it.",
};

pub(in crate::config) static SANDBOX: Setting<Word<SandboxRule>> = Setting {
    name: "sandbox",
    kind: SANDBOX_RULE,
    default: || SandboxRule::On,
    says: "Agents, setup and preflight run in a sandbox (bubblewrap). Where it does not work nothing is started, and \
           `ralph status` and `ralph doctor` say what is missing. `\"off\"`: they run without one, and can read and \
           change whatever the user Ralph runs as can, Ralph's token and its settings included.",
};

pub(in crate::config) static PATHS: Setting<List<Word<PathBuf>>> = Setting {
    name: "paths",
    kind: list(PLACE),
    default: Vec::new,
    says: "Files and folders that agents, setup and preflight may read in the sandbox, beside the system's own, what \
           `PATH` names and what these commands name. Nothing that Ralph reads a secret from is ever seen.",
};

pub(in crate::config) static ROLES: Section = Section {
    heading: "[roles]",
    says: "One table per role that differs from `[agent]`: `plan`, `plan_review`, `implement`, \
           `product_review`, `devex_review`, `ci_debug`, `merge_conflict`, `parent_verify`, `survey`.",
    settings: &[],
    tables: ROLE_NAMES,
};

pub(in crate::config) static ROLE: Section = Section {
    heading: "[roles.<role>]",
    says: "What is not set here is as in `[agent]`.",
    settings: &[
        &ROLE_KIND,
        &ROLE_COMMAND,
        &ROLE_TURN_TIMEOUT,
        &ROLE_IDLE_TIMEOUT,
        &ROLE_REPEAT_TIMEOUT,
        &ROLE_EDITS_MAX,
        &ROLE_OUTPUT_MB_MAX,
        &ROLE_PASS_ENV,
    ],
    tables: &[],
};

pub(in crate::config) static ROLE_KIND: Setting<Maybe<Word<AgentKind>>> = Setting {
    name: "kind",
    kind: Maybe(AGENT_KIND),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_COMMAND: Setting<Maybe<List<Word<String>>>> = Setting {
    name: "command",
    kind: Maybe(COMMAND_LINE),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_TURN_TIMEOUT: Setting<Maybe<Length>> = Setting {
    name: "turn_timeout",
    kind: Maybe(TIMEOUT),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_IDLE_TIMEOUT: Setting<Maybe<Length>> = Setting {
    name: "idle_timeout",
    kind: Maybe(TIMEOUT),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_REPEAT_TIMEOUT: Setting<Maybe<Length>> = Setting {
    name: "repeat_timeout",
    kind: Maybe(TIMEOUT),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_EDITS_MAX: Setting<Maybe<Count>> = Setting {
    name: "edits_max",
    kind: Maybe(EDITS),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_OUTPUT_MB_MAX: Setting<Maybe<Count>> = Setting {
    name: "output_mb_max",
    kind: Maybe(MEGABYTES),
    default: || None,
    says: "As in `[agent]`, for this role.",
};

pub(in crate::config) static ROLE_PASS_ENV: Setting<Maybe<List<Word<String>>>> = Setting {
    name: "pass_env",
    kind: Maybe(list(VARIABLE)),
    default: || None,
    says: "As in `[agent]`, for this role.",
};
