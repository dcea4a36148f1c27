//! The reasons why a question about git has no answer.

use std::fmt;

use super::sha::Sha;

#[derive(Clone, Debug)]
pub(crate) enum GitFault {
    /// The name means no commit of this repository.
    UnknownCommit(Sha),
    /// Git itself failed, so nothing can be said.
    Broken { doing: &'static str, detail: String },
}

impl GitFault {
    pub(crate) fn broken(doing: &'static str, detail: impl fmt::Display) -> Self {
        Self::Broken { doing, detail: detail.to_string() }
    }
}

impl fmt::Display for GitFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCommit(sha) => write!(formatter, "no commit {sha}"),
            Self::Broken { doing, detail } => write!(formatter, "could not {doing}: {detail}"),
        }
    }
}

impl std::error::Error for GitFault {}
