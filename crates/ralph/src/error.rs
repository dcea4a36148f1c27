//! The one error of the command line: what went wrong, what to do next, and the exit code that goes with it.
//! What clap does not understand it reports itself, with exit code 2.

use crate::config::{ConfigError, TokenSource};
use crate::daemon::StartError;
use crate::demo::DemoError;
use crate::reach::ReachError;
use ralph_core::ids::{IssueKey, RepoName, RunId};
use ralph_engine::EngineError;
use ralph_engine::store::{OpenError, PostError, StoreError};
use ralph_forge::{ControlError, ServeError};
use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// What to do about a token that is refused.
const NEW_TOKEN: &str = "put a token there that is in force and may write to your repositories";

#[derive(Debug)]
pub(crate) enum CliError {
    /// Nothing says where the state store is.
    NoHome,
    NoStore {
        path: PathBuf,
    },
    OutOfReach {
        path: PathBuf,
        source: io::Error,
    },
    Open(OpenError),
    Store(StoreError),
    Config(ConfigError),
    UnknownIssue(IssueKey),
    UnknownRun(RunId),
    AmbiguousRun {
        id: RunId,
        repos: Vec<RepoName>,
    },
    /// A folder or a file could not be worked with.
    File {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The answer itself is that something is not well; there is nothing to add to it.
    Findings,
    NotWritten(io::Error),
    NotJson(serde_json::Error),
    /// The configuration leaves out what this command cannot do without.
    Unset {
        what: &'static str,
        next: &'static str,
    },
    NoToken(TokenSource),
    /// A command was not obeyed.
    Refused {
        says: String,
        next: Option<&'static str>,
        code: u8,
    },
    /// The token or the key cannot be used.
    Reach(ReachError),
    /// Deliveries are wanted, and nothing to check them with.
    NoWebhookSecret {
        variable: String,
    },
    Demo(DemoError),
    Serve(ServeError),
    Control(ControlError),
    NoProgram(io::Error),
    NoSignals(io::Error),
    Start(StartError),
    Engine(EngineError),
    /// A daemon came to a bad end.
    Work {
        home: PathBuf,
        source: Box<EngineError>,
    },
}

impl CliError {
    /// The next step, where the message does not name it already.
    pub(crate) const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoHome => Some("pass --home DIR, or set RALPH_HOME"),
            Self::NoStore { .. } => Some(
                "the first `ralph run` makes it; --home DIR or RALPH_HOME names another folder",
            ),
            Self::OutOfReach { .. } => Some("name the folder with --home DIR or RALPH_HOME"),
            Self::UnknownIssue(_) => Some("`ralph status` lists the issues that are"),
            Self::Store(_) => Some("try again; if it stays, `ralph doctor` says what can be done"),
            Self::Config(ConfigError::Missing { .. }) => Some(
                "write one, or name another with --config; docs/configuration.md has an example",
            ),
            Self::Config(ConfigError::Wrong { .. }) => {
                Some("docs/configuration.md lists every setting with what it accepts")
            }
            Self::UnknownRun(_) => Some("`ralph runs` lists the runs that are known"),
            Self::AmbiguousRun { .. } => Some("name the repository with --repo OWNER/NAME"),
            Self::Unset { next, .. } => Some(next),
            Self::Refused { next, .. } => *next,
            Self::NoWebhookSecret { .. } => {
                Some("put the secret of the webhook there, or leave `webhook_listen` out")
            }
            Self::NoToken(_) => Some("put a token there that may write to your repositories"),
            Self::Start(StartError::Forge(_)) => {
                Some("check `url` and the token in the [forge] section, and that the forge is up")
            }
            Self::Start(StartError::Metrics { .. }) => {
                Some("choose another `metrics_listen`, or leave it out")
            }
            Self::Start(StartError::Webhooks { .. }) => {
                Some("choose another `webhook_listen`, or leave it out")
            }
            Self::Start(StartError::Token { .. }) => Some(NEW_TOKEN),
            Self::Start(StartError::Identity(_)) => Some(
                "use the credentials of the account from before, or another home; if the account was renamed or \
                 replaced on purpose, start once with --new-identity, and what the old one wrote counts as \
                 somebody else's",
            ),
            Self::Start(StartError::Repositories(_)) => Some(
                "check each `name` under [[repos]], and give the account of the token write access",
            ),
            Self::Start(StartError::InUse { .. }) => {
                Some("stop it first, or choose another home with --home DIR or RALPH_HOME")
            }
            Self::Work { .. }
            | Self::Start(
                StartError::Home { .. }
                | StartError::Open(OpenError::Sql { .. } | OpenError::Folder { .. })
                | StartError::Engine(_)
                | StartError::Poke(_),
            ) => Some(
                "if its disk is full, make room (`ralph worktrees` lists what lies about); then start \
                 again: nothing is lost, and work goes on where it was",
            ),
            Self::Start(StartError::Open(_) | StartError::Setting(_) | StartError::Threads(_))
            | Self::Engine(_)
            | Self::Demo(_)
            | Self::Serve(_)
            | Self::Control(_)
            | Self::NoProgram(_)
            | Self::Reach(_)
            | Self::NoSignals(_) => None,
            Self::Config(ConfigError::Unreadable { .. } | ConfigError::TooLarge { .. })
            | Self::File { .. }
            | Self::Findings
            | Self::Open(_)
            | Self::NotWritten(_)
            | Self::NotJson(_) => None,
        }
    }

    /// What the message counts, one by one.
    pub(crate) fn details(&self) -> Vec<String> {
        match self {
            Self::Config(error) => error.problems().iter().map(ToString::to_string).collect(),
            Self::Start(StartError::Repositories(left_out)) => {
                left_out.iter().map(|found| found.why.clone()).collect()
            }
            Self::NoHome
            | Self::NoStore { .. }
            | Self::OutOfReach { .. }
            | Self::Open(_)
            | Self::Store(_)
            | Self::UnknownIssue(_)
            | Self::UnknownRun(_)
            | Self::AmbiguousRun { .. }
            | Self::File { .. }
            | Self::Findings
            | Self::NotWritten(_)
            | Self::NotJson(_)
            | Self::Unset { .. }
            | Self::Refused { .. }
            | Self::NoToken(_)
            | Self::Reach(_)
            | Self::NoWebhookSecret { .. }
            | Self::Demo(_)
            | Self::Serve(_)
            | Self::Control(_)
            | Self::NoProgram(_)
            | Self::NoSignals(_)
            | Self::Start(_)
            | Self::Engine(_)
            | Self::Work { .. } => Vec::new(),
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Refused { code, .. } => *code,
            Self::UnknownIssue(_)
            | Self::UnknownRun(_)
            | Self::AmbiguousRun { .. }
            | Self::File { .. }
            | Self::Findings
            | Self::NotWritten(_)
            | Self::NotJson(_)
            | Self::NoProgram(_)
            | Self::NoSignals(_)
            | Self::Demo(_)
            | Self::Serve(_)
            | Self::Control(_)
            | Self::Start(StartError::Threads(_)) => 1,
            Self::NoHome
            | Self::Config(_)
            | Self::Unset { .. }
            | Self::NoToken(_)
            | Self::Reach(_)
            | Self::NoWebhookSecret { .. }
            | Self::Start(
                StartError::Setting(_) | StartError::Webhooks { .. } | StartError::Metrics { .. },
            ) => 3,
            Self::NoStore { .. }
            | Self::OutOfReach { .. }
            | Self::Open(_)
            | Self::Store(_)
            | Self::Engine(_)
            | Self::Work { .. }
            | Self::Start(
                StartError::Home { .. }
                | StartError::InUse { .. }
                | StartError::Open(_)
                | StartError::Engine(_)
                | StartError::Poke(_),
            ) => 4,
            Self::Start(
                StartError::Forge(_)
                | StartError::Token { .. }
                | StartError::Identity(_)
                | StartError::Repositories(_),
            ) => 5,
        })
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => f.write_str("there is no folder to look for the state store in"),
            Self::NoStore { path } => write!(f, "there is no state store at {}", path.display()),
            Self::OutOfReach { path, .. } => {
                write!(f, "the state store {} cannot be reached", path.display())
            }
            Self::Open(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::UnknownIssue(key) => write!(f, "{key} is not in the state store"),
            Self::Config(error) => error.fmt(f),
            Self::UnknownRun(id) => write!(f, "there is no run {id} in the state store"),
            Self::AmbiguousRun { id, repos } => {
                let names: Vec<_> = repos.iter().map(RepoName::as_str).collect();
                write!(f, "several repositories have a run {id}: {}", names.join(", "))
            }
            Self::File { doing, path, .. } => write!(f, "{} could not be {doing}", path.display()),
            Self::Findings => f.write_str("not everything is well"),
            Self::NotWritten(_) => f.write_str("the answer could not be written"),
            Self::NotJson(_) => f.write_str("the answer could not be put into JSON"),
            Self::Unset { what, .. } => f.write_str(what),
            Self::Refused { says, .. } => f.write_str(says),
            Self::NoToken(TokenSource::Environment(name)) => {
                write!(f, "the variable {name} holds no token for the forge")
            }
            Self::NoToken(TokenSource::File(_) | TokenSource::App(_)) => {
                f.write_str("the token of the forge is empty")
            }
            Self::Reach(error) => error.fmt(f),
            Self::NoWebhookSecret { variable } => write!(
                f,
                "webhook_listen is set, and the variable {variable} holds no secret to check deliveries with"
            ),
            Self::Demo(error) => error.fmt(f),
            Self::Serve(error) => error.fmt(f),
            Self::Control(error) => error.fmt(f),
            Self::NoProgram(_) => f.write_str("this program does not find itself"),
            Self::NoSignals(_) => f.write_str("signals cannot be received"),
            Self::Start(error) => error.fmt(f),
            Self::Engine(error) => error.fmt(f),
            Self::Work { home, source } => {
                write!(f, "the work in {} came to an end: {source}", home.display())
            }
        }
    }
}

impl Error for CliError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoHome
            | Self::NoStore { .. }
            | Self::UnknownIssue(_)
            | Self::UnknownRun(_)
            | Self::AmbiguousRun { .. }
            | Self::Findings
            | Self::Unset { .. }
            | Self::Refused { .. }
            | Self::NoWebhookSecret { .. }
            | Self::NoToken(_)
            | Self::Reach(_) => None,
            Self::Demo(error) => error.source(),
            Self::Serve(error) => error.source(),
            Self::Control(error) => error.source(),
            Self::Start(error) => error.source(),
            Self::Engine(error) => error.source(),
            Self::Work { source, .. } => source.source(),
            Self::OutOfReach { source, .. }
            | Self::NoProgram(source)
            | Self::NoSignals(source)
            | Self::NotWritten(source)
            | Self::File { source, .. } => Some(source),
            Self::Config(error) => error.source(),
            Self::Open(error) => error.source(),
            Self::Store(error) => error.source(),
            Self::NotJson(source) => Some(source),
        }
    }
}

impl From<DemoError> for CliError {
    fn from(error: DemoError) -> Self {
        Self::Demo(error)
    }
}

impl From<ReachError> for CliError {
    fn from(error: ReachError) -> Self {
        Self::Reach(error)
    }
}

impl From<StartError> for CliError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<PostError> for CliError {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Open(error) => Self::Open(error),
            PostError::Store(error) => Self::Store(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::path::Path;

    #[test]
    fn a_wrong_configuration_has_its_own_exit_code_and_tells_each_problem() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let told = |path: &Path| {
            let error = CliError::from(Config::load(path).unwrap_err());
            assert_eq!(error.exit_code(), ExitCode::from(3));
            assert!(
                error.source().is_some() || error.hint().is_some() || !error.details().is_empty()
            );
            (error.to_string().replace(&path.display().to_string(), "FILE"), error.details())
        };
        assert_eq!(told(&path), ("there is no configuration at FILE".to_owned(), Vec::new()));
        std::fs::write(&path, "a = 1\nforge = 2\n").unwrap();
        let (says, details) = told(&path);
        assert_eq!((says.as_str(), details.len()), ("FILE has 2 problems", 2));
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(told(&path).0, "the configuration FILE cannot be read");
        std::fs::write(&path, " ".repeat(2 << 20)).unwrap();
        let error = CliError::from(Config::load(&path).unwrap_err());
        assert!(error.to_string().ends_with("is larger than 1024 KiB, which no configuration is"));
    }
}
