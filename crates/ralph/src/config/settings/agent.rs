//! Agents: the one for every role, and roles that differ from it.

use super::words::{
    AGENT_KIND, AGENT_NETWORK, HOME_FILE, HOST, PLACE, SANDBOX_RULE, TEXT, VARIABLE, list,
};
use crate::config::kind::{Bytes, Count, Length, List, Maybe, Number, Word};
use crate::config::setting::{Section, Setting};
pub use ralph_adapters::agent::Kind as AgentKind;
use ralph_adapters::network::{NetworkRule, provider_hosts};
use ralph_adapters::watchdog::StallLimits;
use ralph_contain::{HostRule, Limits};
use ralph_core::policy;
use ralph_core::role::Role;
use ralph_core::time::Span;
use std::path::PathBuf;

/// The agent of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    pub kind: AgentKind,
    pub(in crate::config) command: Option<Vec<String>>,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub args: Vec<String>,
    pub credentials: Credentials,
    /// The configuration of `OpenCode`, if it is not the folder that Ralph manages.
    pub opencode_config_dir: Option<PathBuf>,
    pub turn_timeout: Span,
    pub idle_timeout: Span,
    pub repeat_timeout: Span,
    pub edits_max: u32,
    pub output_mb_max: u32,
    pub pass_env: Vec<String>,
    /// `None`: as the kind has it.
    pub(in crate::config) network: Option<AgentNetwork>,
    pub(in crate::config) allow_hosts: Vec<HostRule>,
    /// The same for every role.
    pub isolation: Isolation,
}

/// The login of an agent's program. What is not set is as usual for its kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    pub env: Option<Vec<String>>,
    /// May begin with `~/`.
    pub files: Option<Vec<String>>,
}

/// The network of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentNetwork {
    /// The hosts of the model's provider, and package registries for those who change something.
    Model,
    Open,
    None,
}

/// The network of a turn where the settings name none. The provider of any other program is not known.
const fn usual_network(kind: AgentKind) -> AgentNetwork {
    match kind {
        AgentKind::Claude | AgentKind::Codex | AgentKind::OpenCode | AgentKind::Gemini => {
            AgentNetwork::Model
        }
        AgentKind::Acp | AgentKind::Command => AgentNetwork::Open,
    }
}

/// The sandbox that agents, setup and preflight run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolation {
    pub sandbox: SandboxRule,
    /// Files and folders that are seen in the sandbox beside the usual ones.
    pub paths: Vec<PathBuf>,
    pub limits: Limits,
}

/// Is a sandbox needed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxRule {
    /// Nothing is started where it does not work.
    On,
    /// The operator does without.
    Off,
}

impl AgentConfig {
    /// The program and its arguments: as configured, else the usual program of its kind; empty if there is none.
    #[must_use]
    pub fn command(&self) -> Vec<String> {
        let usual = || self.kind.program().map(str::to_owned).into_iter().collect();
        self.command.clone().unwrap_or_else(usual)
    }

    /// A role with another kind inherits nothing that belongs to the program of the first one.
    pub(in crate::config) fn of_another_kind(self, kind: AgentKind) -> Self {
        let Self { command, model, effort, args, credentials, opencode_config_dir, .. } =
            Self::default();
        Self { kind, command, model, effort, args, credentials, opencode_config_dir, ..self }
    }

    /// The hosts that its turns may reach.
    #[must_use]
    pub fn network(&self) -> NetworkRule {
        match self.network.unwrap_or(usual_network(self.kind)) {
            AgentNetwork::Open => NetworkRule::Open,
            AgentNetwork::None => NetworkRule::None,
            AgentNetwork::Model => {
                let own = provider_hosts(self.kind.name()).into_iter();
                let hosts = own.chain(self.allow_hosts.iter().cloned()).collect();
                NetworkRule::Hosts { hosts, has_registries: true }
            }
        }
    }
}

impl Default for AgentConfig {
    fn default() -> Self {
        let stalls = StallLimits::default();
        let span =
            |time: std::time::Duration| Span(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        Self {
            kind: AgentKind::Command,
            command: None,
            model: None,
            effort: None,
            args: Vec::new(),
            credentials: Credentials::default(),
            opencode_config_dir: None,
            turn_timeout: policy::Limits::default().turn_timeout,
            idle_timeout: span(stalls.idle),
            repeat_timeout: span(stalls.repeats),
            edits_max: stalls.edits,
            output_mb_max: u32::try_from(stalls.output_bytes / MEGABYTE).unwrap_or(u32::MAX),
            pass_env: Vec::new(),
            network: None,
            allow_hosts: Vec::new(),
            isolation: Isolation {
                sandbox: SandboxRule::On,
                paths: Vec::new(),
                limits: Limits::default(),
            },
        }
    }
}

/// One change is no loop.
const EDITS: Count = Count { min: 2, max: 10_000 };
const MEGABYTES: Count = Count { min: 1, max: 100_000 };
const MEGABYTE: u64 = 1_000_000;
const TIMEOUT: Length = Length { min: Span::from_secs(1), max: Span::from_mins(24 * 60) };

/// One text would hide where the program ends and its arguments begin.
const COMMAND_LINE: List<Word<String>> = List { of: TEXT, items_min: 1, takes_one_alone: false };

pub(in crate::config) static AGENT: Section<AgentConfig> = Section {
    heading: "[agent]",
    says: "The agent for every role.",
    settings: &[
        &Setting::new(
            "kind",
            AGENT_KIND,
            |agent: &mut AgentConfig| &mut agent.kind,
            "The program: Claude Code, Codex, OpenCode, Gemini CLI, any program that speaks \
             the Agent Client Protocol, or any program that reads its prompt from standard \
             input.",
        ),
        &Setting::new(
            "command",
            Maybe(COMMAND_LINE),
            |agent: &mut AgentConfig| &mut agent.command,
            "The program and its arguments; by default `claude`, `codex`, `opencode` or \
             `gemini`. Kinds `command` and `acp` need one.",
        ),
        &Setting::new(
            "model",
            Maybe(TEXT),
            |agent: &mut AgentConfig| &mut agent.model,
            "The model, by the name that the program has for it.",
        ),
        &Setting::new(
            "effort",
            Maybe(TEXT),
            |agent: &mut AgentConfig| &mut agent.effort,
            "How hard the model thinks, by the program's own word. Kinds `claude`, `codex` \
             and `opencode` know it.",
        ),
        &Setting::new(
            "args",
            list(TEXT),
            |agent: &mut AgentConfig| &mut agent.args,
            "Arguments for the program beside those that Ralph gives it.",
        ),
        &Setting::new(
            "opencode_config_dir",
            Maybe(PLACE),
            |agent: &mut AgentConfig| &mut agent.opencode_config_dir,
            "A folder with configuration of your own for OpenCode, in place of the one that \
             Ralph manages. `RALPH_OPENCODE_CONFIG_DIR` does the same.",
        ),
        &Setting::new(
            "turn_timeout",
            TIMEOUT,
            |agent: &mut AgentConfig| &mut agent.turn_timeout,
            "Longest turn; the process and all its children end then, and the turn counts \
             as stalled.",
        ),
        &Setting::new(
            "idle_timeout",
            TIMEOUT,
            |agent: &mut AgentConfig| &mut agent.idle_timeout,
            "Longest time without output, a changed file or processor time. At half of it \
             `ralph status` and the log say so; at its end the turn counts as stalled. So \
             do the three limits below.",
        ),
        &Setting::new(
            "repeat_timeout",
            TIMEOUT,
            |agent: &mut AgentConfig| &mut agent.repeat_timeout,
            "Longest time with nothing but the same lines, no changed file and little \
             processor time.",
        ),
        &Setting::new(
            "edits_max",
            EDITS,
            |agent: &mut AgentConfig| &mut agent.edits_max,
            "Changes of one file while nothing is run in between, seen every 15 seconds at \
             most. One that comes back to what it was counts as ten.",
        ),
        &Setting::new(
            "output_mb_max",
            MEGABYTES,
            |agent: &mut AgentConfig| &mut agent.output_mb_max,
            "Most output of one turn, in megabytes.",
        ),
        &Setting::new(
            "pass_env",
            list(VARIABLE),
            |agent: &mut AgentConfig| &mut agent.pass_env,
            "Environment variables handed on to the agent; all others but a short list are \
             kept from it.",
        ),
        &Setting::new(
            "network",
            Maybe(AGENT_NETWORK),
            |agent: &mut AgentConfig| &mut agent.network,
            "The hosts that a turn reaches from the sandbox. `\"model\"`: those of the model's \
             provider, `allow_hosts`, and in roles that change something the package registries \
             of the repository's ecosystems, all through a proxy of Ralph's. `\"open\"`: what the \
             machine reaches. `\"none\"`: nothing. Not set: `\"open\"` for the kind `command`, \
             whose provider is not known.",
        ),
        &Setting::new(
            "allow_hosts",
            list(HOST),
            |agent: &mut AgentConfig| &mut agent.allow_hosts,
            "Further hosts for `network = \"model\"`: a name, `*.` and a name for all names below \
             it, or an address; port 443 unless another one follows after a colon. A name that \
             leads to an address of this machine or its network is refused unless that address \
             is listed too.",
        ),
        &Setting::new(
            "sandbox",
            SANDBOX_RULE,
            |agent: &mut AgentConfig| &mut agent.isolation.sandbox,
            "Agents, setup and preflight run in a sandbox (bubblewrap). Where it does not \
             work nothing is started, and `ralph status` and `ralph doctor` say what is \
             missing. `\"off\"`: they run without one, and can read and change whatever the \
             user Ralph runs as can, Ralph's token and its settings included.",
        )
        .at_restart(),
        &Setting::new(
            "paths",
            list(PLACE),
            |agent: &mut AgentConfig| &mut agent.isolation.paths,
            "Files and folders that agents, setup and preflight may read in the sandbox, \
             beside the system's own, what `PATH` names and what these commands name. \
             Nothing that Ralph reads a secret from is ever seen.",
        )
        .at_restart(),
    ],
    tables: &["credentials", "limits"],
    inherits: None,
};

/// Less would keep the guard from its work, or a program from its start.
const MEMORY: Bytes = Bytes { min: 50_000_000 };
const FILE_SIZE: Bytes = Bytes { min: 1_000_000 };
const PROCESSES: Number = Number { min: 20, max: 1_000_000 };
const OPEN_FILES: Number = Number { min: 64, max: 1_000_000 };

pub(in crate::config) static LIMITS: Section<Limits> = Section {
    heading: "[agent.limits]",
    says: "The most that one turn, or one command of setup and preflight, may use. Over it the turn or \
             command has failed, with the reason. What is not set has no limit.",
    settings: &[
        &Setting::new(
            "memory",
            Maybe(MEMORY),
            |limits: &mut Limits| &mut limits.memory_bytes,
            "Resident memory of all its processes together, without parts that are shared with \
             files. Looked at twice a second.",
        ),
        &Setting::new(
            "processes",
            Maybe(PROCESSES),
            |limits: &mut Limits| &mut limits.processes,
            "Processes at once. Looked at twice a second.",
        ),
        &Setting::new(
            "open_files",
            Maybe(OPEN_FILES),
            |limits: &mut Limits| &mut limits.open_files,
            "Open files of each process.",
        ),
        &Setting::new(
            "file_size",
            Maybe(FILE_SIZE),
            |limits: &mut Limits| &mut limits.file_bytes,
            "Size of each file that is written.",
        ),
        &Setting::new(
            "nice",
            Maybe(Number { min: 0, max: 19 }),
            |limits: &mut Limits| &mut limits.nice,
            "How far the processor is left to other programs; 19 is furthest.",
        ),
    ],
    tables: &[],
    inherits: None,
};

pub(in crate::config) static CREDENTIALS: Section<Credentials> = Section {
    heading: "[agent.credentials]",
    says: "The login of the program, by role as `[roles.<role>.credentials]`. `ralph doctor` shows \
           what was found. Variables with long-lived tokens are the better choice: a login file \
           that the program refreshes serves one turn at a time.",
    settings: &[
        &Setting::new(
            "env",
            Maybe(list(VARIABLE)),
            |it: &mut Credentials| &mut it.env,
            "Environment variables with a login that are handed on to the program; by default \
             those that its kind knows.",
        ),
        &Setting::new(
            "files",
            Maybe(list(HOME_FILE)),
            |it: &mut Credentials| &mut it.files,
            "Login files that the program finds in its private home; by default the usual one \
             of its kind, if none of the variables is set.",
        ),
    ],
    tables: &[],
    inherits: None,
};

pub(in crate::config) static ROLE_CREDENTIALS: Section<Credentials> = Section {
    heading: "[roles.<role>.credentials]",
    says: "Settings that are left out here are as in `[agent.credentials]`.",
    settings: CREDENTIALS.settings,
    tables: &[],
    inherits: Some(CREDENTIALS.heading),
};

/// The values of `RALPH_ROLE`.
pub(in crate::config) static ROLE_NAMES: [&str; Role::ALL.len()] = role_names();

#[expect(clippy::indexing_slicing, reason = "both arrays have one entry for each role")]
const fn role_names() -> [&'static str; Role::ALL.len()] {
    let mut names = [""; Role::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Role::ALL[at].name();
        at += 1;
    }
    names
}

pub(in crate::config) static ROLES: Section<AgentConfig> = Section {
    heading: "[roles]",
    says: "One table per role that differs from `[agent]`.",
    settings: &[],
    tables: &ROLE_NAMES,
    inherits: None,
};

pub(in crate::config) static ROLE: Section<AgentConfig> = Section {
    heading: "[roles.<role>]",
    says: "Settings that are left out here are as in `[agent]`.",
    settings: AGENT.settings,
    tables: AGENT.tables,
    inherits: Some(AGENT.heading),
};
