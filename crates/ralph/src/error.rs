//! The one error of the command line: its kind with the exit code, a message, the cause, and a hint at the next step.
//! Arguments that clap does not understand it reports itself, with exit code 2.

use crate::config::ConfigError;
use crate::daemon::StartError;
use crate::demo::DemoError;
use crate::reach::ReachError;
use ralph_engine::EngineError;
use ralph_engine::store::{OpenError, PostError, StoreError};
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// The kinds of errors. docs/commands.md lists their exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The request names something unknown, or was refused.
    Request,
    /// The answer of the command says that something is not well; there is nothing to add to it.
    Findings,
    /// A file or folder other than the state store cannot be used.
    File,
    /// The machine or this program failed.
    Internal,
    Config,
    /// There is no state store yet.
    NoStore,
    Store,
    Forge,
}

impl ErrorKind {
    const fn exit_code(self) -> u8 {
        match self {
            Self::Request | Self::Findings | Self::File | Self::Internal => 1,
            Self::Config => 3,
            Self::NoStore | Self::Store => 4,
            Self::Forge => 5,
        }
    }
}

#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) kind: ErrorKind,
    message: String,
    /// The single problems, where the message only counts them.
    pub(crate) details: Vec<String>,
    pub(crate) cause: Option<String>,
    /// The next step, where the message does not name it already.
    pub(crate) hint: Option<&'static str>,
}

impl CliError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Vec::new(), cause: None, hint: None }
    }

    /// An error in its own words, with its first cause: the ones below are numbers of system calls.
    pub(crate) fn of(kind: ErrorKind, error: &dyn Error) -> Self {
        let cause = error.source().map(ToString::to_string);
        Self { cause, ..Self::new(kind, error.to_string()) }
    }

    pub(crate) fn findings() -> Self {
        Self::new(ErrorKind::Findings, "not everything is well")
    }

    /// A file or folder that could not be `done`: "read", "made".
    pub(crate) fn file(done: &str, path: &Path, cause: &dyn Error) -> Self {
        let message = format!("{} could not be {done}", path.display());
        Self::new(ErrorKind::File, message).caused_by(cause)
    }

    /// Something that the machine or this program failed to do.
    pub(crate) fn internal<C: Error>(message: &'static str) -> impl Fn(C) -> Self {
        move |cause| Self::new(ErrorKind::Internal, message).caused_by(&cause)
    }

    pub(crate) fn caused_by(mut self, cause: &dyn Error) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    pub(crate) const fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// Lists single problems below the message.
    pub(crate) fn with_details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }

    /// Names what was being done in front of the message.
    pub(crate) fn in_front(mut self, doing: &str) -> Self {
        self.message = format!("{doing}: {}", self.message);
        self
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.kind.exit_code())
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<ConfigError> for CliError {
    fn from(error: ConfigError) -> Self {
        let hint = match &error {
            ConfigError::Missing { .. } => Some(
                "`ralph init` in a checkout of your repository writes one; --config names another file",
            ),
            ConfigError::Wrong { .. } => {
                Some("docs/configuration.md lists every setting with the values it accepts")
            }
            ConfigError::Unreadable { .. } | ConfigError::TooLarge { .. } => None,
        };
        let details = error.problems().iter().map(ToString::to_string).collect();
        Self { details, hint, ..Self::of(ErrorKind::Config, &error) }
    }
}

impl From<StartError> for CliError {
    fn from(error: StartError) -> Self {
        let (kind, hint) = match &error {
            StartError::Forge(_) => (
                ErrorKind::Forge,
                Some("check `url` and the token in the [forge] section, and that the forge is up"),
            ),
            StartError::Token { .. } => (
                ErrorKind::Forge,
                Some("put a valid token there that may write to your repositories"),
            ),
            StartError::Identity(_) => (
                ErrorKind::Forge,
                Some(
                    "use the credentials of the previous account, or another home; if the account was renamed or \
                     replaced on purpose, start once with --new-identity: what the previous account wrote then \
                     counts as written by another person",
                ),
            ),
            StartError::Repositories(_) => (
                ErrorKind::Forge,
                Some(
                    "check each `name` under [[repos]], and give the account of the token write access",
                ),
            ),
            StartError::Metrics { .. } => {
                (ErrorKind::Config, Some("choose another `metrics_listen`, or leave it out"))
            }
            StartError::Webhooks { .. } => {
                (ErrorKind::Config, Some("choose another `webhook_listen`, or leave it out"))
            }
            StartError::Setting(_) => (ErrorKind::Config, None),
            StartError::InUse { .. } => (
                ErrorKind::Store,
                Some("stop it first, or choose another home with --home DIR or RALPH_HOME"),
            ),
            StartError::Open(OpenError::Sql { .. } | OpenError::Folder { .. })
            | StartError::Home { .. }
            | StartError::Engine(_)
            | StartError::Listen(_) => (ErrorKind::Store, Some(MAKE_ROOM)),
            StartError::Open(_) => (ErrorKind::Store, None),
            StartError::Threads(_) => (ErrorKind::Internal, None),
        };
        let mut details = Vec::new();
        if let StartError::Repositories(left_out) = &error {
            details = left_out.iter().map(|found| found.why.clone()).collect();
        }
        Self { details, hint, ..Self::of(kind, &error) }
    }
}

pub(crate) const NO_SIGNALS: &str = "cannot receive signals";
pub(crate) const NO_PROGRAM: &str = "cannot locate the ralph executable";

/// The next step after a write to the home failed.
pub(crate) const MAKE_ROOM: &str = "if its disk is full, make room (`ralph worktrees` lists folders that can go), \
                                    then start again: nothing is lost, and work continues where it was";

impl From<ReachError> for CliError {
    fn from(error: ReachError) -> Self {
        // Its message names the cause.
        Self::new(ErrorKind::Config, error.to_string())
    }
}

impl From<DemoError> for CliError {
    fn from(error: DemoError) -> Self {
        Self::of(ErrorKind::Request, &error)
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self::of(ErrorKind::Store, &error)
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        Self::of(ErrorKind::Store, &error)
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let hint = "try again; if it fails again, `ralph doctor` says what can be done";
        Self::of(ErrorKind::Store, &error).with_hint(hint)
    }
}

impl From<PostError> for CliError {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Open(error) => error.into(),
            PostError::Store(error) => error.into(),
            taken @ PostError::KeyTaken { .. } => Self::of(ErrorKind::Request, &taken),
        }
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal("the answer could not be put into JSON")(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_wrong_configuration_has_its_own_exit_code_and_lists_each_problem() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let reported = |path: &Path| {
            let error = CliError::from(Config::load(path).unwrap_err());
            assert_eq!(error.exit_code(), ExitCode::from(3));
            assert!(error.cause.is_some() || error.hint.is_some() || !error.details.is_empty());
            (error.to_string().replace(&path.display().to_string(), "FILE"), error.details)
        };
        assert_eq!(reported(&path), ("there is no configuration at FILE".to_owned(), Vec::new()));
        std::fs::write(&path, "a = 1\nforge = 2\n").unwrap();
        let (says, details) = reported(&path);
        assert_eq!((says.as_str(), details.len()), ("FILE has 2 problems", 2));
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(reported(&path).0, "the configuration FILE cannot be read");
        std::fs::write(&path, " ".repeat(2 << 20)).unwrap();
        let error = CliError::from(Config::load(&path).unwrap_err());
        assert!(error.to_string().ends_with("is larger than 1024 KiB, which no configuration is"));
    }
}
