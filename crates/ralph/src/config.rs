//! What the operator has written into `config.toml`, checked: every value has its type, every problem its
//! line. Nothing here reads the environment or opens anything but that one file.

mod kind;
mod length;
mod policy;
mod reading;
mod reference;
mod restart;
mod setting;
mod settings;
mod sheet;

pub use reference::page as reference_page;
pub use sheet::{Effective, Origin, Problem};

use ralph_core::gate::Gate;
use ralph_core::ids::{Branch, Login, RepoName};
use ralph_core::policy::{AutoQueue, MergeMethod};
use ralph_core::time::Span;
use ralph_github::Fence;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Largest file that is read; a configuration written by hand is a few kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Everything the operator has said, with what holds where nothing was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub max_workers: u32,
    pub poll_interval: Span,
    pub operator: Option<Login>,
    /// Issues claimed at once in one repository; `None`: four times its slots.
    pub claims_max: Option<u32>,
    pub webhook_listen: Option<SocketAddr>,
    pub dashboard_listen: Option<SocketAddr>,
    pub metrics_listen: Option<SocketAddr>,
    pub forge: ForgeConfig,
    agent: AgentConfig,
    pub isolation: Isolation,
    roles: BTreeMap<&'static str, AgentConfig>,
    pub retention: Retention,
    /// `None`: whatever is configured may be written to.
    pub sandbox: Option<Fence>,
    pub repos: BTreeMap<RepoName, RepoConfig>,
    /// Every setting as it is in force, and who chose it.
    pub effective: Vec<Effective>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeConfig {
    /// The API's address, without a slash at its end.
    pub url: String,
    pub token: TokenSource,
    pub webhook_secret_env: String,
    pub read_lag: Span,
}

impl ForgeConfig {
    /// Does the file itself hold something that others must not read?
    pub(crate) fn holds_a_secret(&self) -> bool {
        matches!(self.token, TokenSource::File(_)) || self.url.contains('@')
    }
}

/// Where the forge's token is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// In this environment variable.
    Environment(String),
    File(Secret),
    /// Asked for under the name of a GitHub App, again and again.
    App(AppConfig),
}

/// A GitHub App and how it proves to be itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppConfig {
    pub app_id: u32,
    /// `None`: each repository's own, as the forge tells.
    pub installation_id: Option<u32>,
    pub private_key_path: PathBuf,
}

impl TokenSource {
    /// Where it is, for whoever has to put another there.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Environment(name) => format!("in the variable {name}"),
            Self::File(_) => "in [forge] of the configuration".to_owned(),
            Self::App(app) => format!("signed with {}", app.private_key_path.display()),
        }
    }
}

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret itself, for the one who has to present it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    pub kind: AgentKind,
    /// The program and its arguments; empty when none is configured.
    pub command: Vec<String>,
    pub turn_timeout: Span,
    pub idle_timeout: Span,
    pub repeat_timeout: Span,
    pub edits_max: u32,
    pub output_mb_max: u32,
    pub pass_env: Vec<String>,
}

/// What agents, setup and preflight are kept from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolation {
    pub sandbox: SandboxRule,
    /// Files and folders that are seen in the sandbox beside the usual ones.
    pub paths: Vec<PathBuf>,
}

/// Is a sandbox needed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxRule {
    /// Nothing is started where it does not work.
    On,
    /// The operator does without.
    Off,
}

/// How an agent is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentKind {
    /// Any program: its prompt on standard input, its answer on standard output.
    Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub runs: Span,
    pub logs: Span,
    pub facts: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoConfig {
    pub bot_branch: Branch,
    pub setup: Vec<String>,
    /// `None`: not configured, so nothing is claimed. Empty: skipped on purpose.
    pub preflight_command: Option<Vec<String>>,
    /// `None`: whatever branch protection requires. Empty: skipped on purpose.
    pub required_checks: Option<Vec<String>>,
    pub skipped_gates: BTreeSet<Gate>,
    /// Gates whose failure is told and stops nothing.
    pub advisory_gates: BTreeSet<Gate>,
    pub concurrency_slots: u32,
    /// In thousandths: 1000 is a share of 1.0.
    pub scheduler_priority_milli: u32,
    pub rollup_batch_size: u32,
    pub rollup_idle: Span,
    pub merge_method: MergeMethod,
    pub setup_timeout: Span,
    pub preflight_timeout: Span,
    pub ci_timeout: Span,
    pub setup_attempts: u32,
    pub verdict_repairs: u32,
    pub plan_attempts: u32,
    pub implement_attempts: u32,
    pub stalls_max: u32,
    pub interruptions_max: u32,
    pub ci_debug_attempts: u32,
    pub merge_conflict_attempts: u32,
    pub branch_update_attempts: u32,
    pub conflict_looks: u32,
    pub parent_verify_attempts: u32,
    pub cache_dirs: Vec<String>,
    pub test_globs: Vec<String>,
    pub file_mb_max: u32,
    pub claims_file: String,
    pub auto_queue: AutoQueue,
    pub survey: bool,
    pub batch_max: u32,
    pub batch_wait: Span,
}

/// Is a gate needed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateRule {
    Require,
    Advisory,
    Skip,
}

/// Why there is no configuration.
#[derive(Debug)]
pub enum ConfigError {
    Missing { path: PathBuf },
    Unreadable { path: PathBuf, source: io::Error },
    TooLarge { path: PathBuf },
    Wrong { path: PathBuf, problems: Vec<Problem> },
}

impl Config {
    /// Reads and checks a file. All of its problems are reported together.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ConfigError::Missing { path: path.to_owned() });
            }
            Err(error) => return Err(unreadable(error)),
        };
        let mut text = String::new();
        let read = file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
        if u64::try_from(read).is_ok_and(|bytes| bytes > FILE_BYTES_MAX) {
            return Err(ConfigError::TooLarge { path: path.to_owned() });
        }
        Self::parse(&text)
            .map_err(|problems| ConfigError::Wrong { path: path.to_owned(), problems })
    }

    /// Checks a text, and gives all of its problems in the order of their lines.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        reading::read(text)
    }

    /// The agent for a role, by the name that `RALPH_ROLE` gives it.
    #[must_use]
    pub fn agent(&self, role: &str) -> &AgentConfig {
        self.roles.get(role).unwrap_or(&self.agent)
    }

    /// Is there a program for every role?
    #[must_use]
    pub fn has_agent_for_all(&self) -> bool {
        let mut roles = settings::agent::ROLE_NAMES.iter();
        roles.all(|role| !self.agent(role).command.is_empty())
    }
}

impl ConfigError {
    /// Each problem of the file, when those are the reason.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Wrong { problems, .. } => problems,
            Self::Missing { .. } | Self::Unreadable { .. } | Self::TooLarge { .. } => &[],
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(f, "there is no configuration at {}", path.display()),
            Self::Unreadable { path, .. } => {
                write!(f, "the configuration {} cannot be read", path.display())
            }
            Self::TooLarge { path } => write!(
                f,
                "{} is larger than {} KiB, which no configuration is",
                path.display(),
                FILE_BYTES_MAX / 1024
            ),
            Self::Wrong { path, problems } => match problems.len() {
                1 => write!(f, "{} has a problem", path.display()),
                many => write!(f, "{} has {many} problems", path.display()),
            },
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            Self::Missing { .. } | Self::TooLarge { .. } | Self::Wrong { .. } => None,
        }
    }
}
