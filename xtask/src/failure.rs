//! The failure of a task: what was being done, and what to do next.

use std::fmt;
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub(crate) enum Failure {
    /// A program could not be started at all.
    NotStarted { command: String, source: io::Error },
    /// A program ran and said no. Its own words are on the screen already, or in `said`.
    Failed { command: String, status: String, said: String },
    /// A file or folder could not be used.
    File { doing: &'static str, path: PathBuf, source: io::Error },
    /// A program answered with something that is not the JSON it promises.
    NotJson { command: String, source: serde_json::Error },
    /// Something has to be installed or written first.
    Missing { what: String, next: String },
    /// A stage of `test` failed.
    Stage { name: &'static str, repeat: String, source: Box<Self> },
    /// `tidy` found something.
    Untidy { findings: usize },
    /// `bench` saw a figure off its target, or could not see it.
    Figures { missed: usize, not_measured: usize },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { command, .. } => {
                write!(f, "could not start `{command}`; is the program installed and on the PATH?")
            }
            Self::Failed { command, status, said } if said.is_empty() => {
                write!(f, "`{command}` ended with {status}")
            }
            Self::Failed { command, status, said } => {
                write!(f, "`{command}` ended with {status} and said:\n{said}")
            }
            Self::File { doing, path, .. } => write!(f, "could not {doing} {}", path.display()),
            Self::NotJson { command, .. } => write!(f, "could not read the answer of `{command}`"),
            Self::Missing { what, next } => write!(f, "{what}; {next}"),
            Self::Stage { name, repeat, .. } => {
                write!(f, "stage {name:?} failed; repeat it alone with: {repeat}")
            }
            Self::Untidy { findings } => {
                write!(f, "{findings} untidy place(s), listed above; each line says what to do")
            }
            Self::Figures { missed, not_measured } => {
                write!(
                    f,
                    "{missed} figure(s) off target, {not_measured} not measured; see the table"
                )
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotStarted { source, .. } | Self::File { source, .. } => Some(source),
            Self::NotJson { source, .. } => Some(source),
            Self::Stage { source, .. } => Some(source),
            Self::Failed { .. }
            | Self::Missing { .. }
            | Self::Untidy { .. }
            | Self::Figures { .. } => None,
        }
    }
}
