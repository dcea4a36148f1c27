//! The operator's `config.toml`, checked: every value has its type, every problem its line. Nothing here reads the
//! environment or opens anything but that one file and those of `[prompts]`.

mod kind;
pub(crate) mod length;
mod policy;
mod reading;
mod reference;
mod restart;
mod rules;
mod setting;
mod settings;
mod sheet;
mod spending;

pub use reference::page as reference_page;
pub use settings::agent::{
    AgentConfig, AgentKind, AgentNetwork, Credentials, Isolation, SandboxRule,
};
pub use settings::prompts::PromptConfig;
pub use settings::repos::{ChecksNetwork, RepoConfig};
pub(crate) use settings::spending::{AccountConfig, LoginVariable};
pub use settings::top::Retention;
pub use sheet::{Effective, Origin, Problem};

use ralph_core::budget::Budget;
use ralph_core::ids::{Login, RepoName};
use ralph_core::price::Prices;
use ralph_core::role::Role;
use ralph_core::role_text::RoleText;
use ralph_core::throttle::Throttle;
use ralph_core::time::Span;
use ralph_github::Fence;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Below this a clone, a worktree and a build of a middling project no longer fit.
const DISK_FREE_MIN: u64 = 1_000_000_000;
/// Largest file that is read; a configuration written by hand is a few kilobytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Every setting of the operator, with the default where the file has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub max_workers: u32,
    pub poll_interval: Span,
    pub operator: Option<Login>,
    /// Issues claimed at once in one repository; `None`: four times its slots.
    pub claims_max: Option<u32>,
    /// `None`: every configured repository is allowed.
    allowed_owners: Option<Vec<Login>>,
    pub webhook_listen: Option<SocketAddr>,
    pub dashboard_listen: Option<SocketAddr>,
    pub metrics_listen: Option<SocketAddr>,
    pub forge: ForgeConfig,
    agent: AgentConfig,
    roles: BTreeMap<&'static str, AgentConfig>,
    prompts: BTreeMap<Role, PromptConfig>,
    /// The texts of `prompts`, files included.
    role_texts: BTreeMap<Role, RoleText>,
    /// Accounts that are named; a kind without one has a single account.
    pub(crate) accounts: Vec<AccountConfig>,
    pub throttle: Throttle,
    pub budget: Budget,
    pub prices: Prices,
    /// Room that has to be left on the disk, in bytes.
    pub disk_free_min: u64,
    pub retention: Retention,
    /// `None`: whatever is configured may be written to.
    pub sandbox: Option<Fence>,
    pub repos: BTreeMap<RepoName, RepoConfig>,
    /// Every setting as it is in force, with its origin.
    pub effective: Vec<Effective>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_workers: 6,
            poll_interval: Span::from_secs(30),
            operator: None,
            claims_max: None,
            allowed_owners: None,
            webhook_listen: None,
            dashboard_listen: None,
            metrics_listen: None,
            forge: settings::forge::ForgeTable::default().with(None),
            agent: AgentConfig::default(),
            roles: BTreeMap::new(),
            prompts: BTreeMap::new(),
            role_texts: BTreeMap::new(),
            accounts: Vec::new(),
            throttle: Throttle::default(),
            budget: Budget::default(),
            prices: Prices::default(),
            disk_free_min: DISK_FREE_MIN,
            retention: Retention::default(),
            sandbox: None,
            repos: BTreeMap::new(),
            effective: Vec::new(),
        }
    }
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

/// The place of the forge's token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// In this environment variable.
    Environment(String),
    File(Secret),
    /// Requested as a GitHub App, and renewed before it expires.
    App(AppConfig),
}

/// A GitHub App and how it proves to be itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppConfig {
    pub app_id: u32,
    /// `None`: each repository's own, as the forge reports it.
    pub installation_id: Option<u32>,
    pub private_key_path: PathBuf,
}

impl TokenSource {
    /// The place where an operator puts another token.
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

    /// The secret itself, to be sent to the forge.
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

/// Is a gate needed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GateRule {
    Require,
    Advisory,
    Skip,
}

/// The reason why there is no configuration.
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
            .and_then(Self::with_files)
            .map_err(|problems| ConfigError::Wrong { path: path.to_owned(), problems })
    }

    /// Checks a text, and gives all of its problems in the order of their lines. Files that it names are not read.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let mut config = reading::read(text)?;
        let texts = config
            .prompts
            .iter()
            .filter_map(|(role, prompt)| Some((*role, prompt.read(prompt.text.as_deref()?).ok()?)));
        config.role_texts = texts.collect();
        Ok(config)
    }

    /// Reads the files that the texts of roles are in.
    fn with_files(mut self) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        for (role, prompt) in &self.prompts {
            match prompt.read_file() {
                Some(Ok(text)) => drop(self.role_texts.insert(*role, text)),
                Some(Err(why)) => {
                    let key = format!("prompts.{}.file", role.name());
                    let known = self.effective.iter().find(|setting| setting.key == key);
                    let line = match known.map(|setting| &setting.origin) {
                        Some(Origin::File(line)) => *line,
                        Some(Origin::Default | Origin::Environment(_)) | None => 1,
                    };
                    let says =
                        format!("`file` of `[prompts.{}]` cannot be used: {why}", role.name());
                    problems.push(Problem { line, says });
                }
                None => {}
            }
        }
        if problems.is_empty() { Ok(self) } else { Err(problems) }
    }

    /// The agent for a role, by the name that `RALPH_ROLE` gives it.
    #[must_use]
    pub fn agent(&self, role: &str) -> &AgentConfig {
        self.roles.get(role).unwrap_or(&self.agent)
    }

    /// The sandbox that agents, setup and preflight run in.
    #[must_use]
    pub const fn isolation(&self) -> &Isolation {
        &self.agent.isolation
    }

    /// Is there a program for every role?
    #[must_use]
    pub fn has_agent_for_all(&self) -> bool {
        let mut roles = settings::agent::ROLE_NAMES.iter();
        roles.all(|role| !self.agent(role).command().is_empty())
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
