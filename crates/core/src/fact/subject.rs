//! The subject of a fact or an effect: an issue, or a repository as a whole.

use crate::ids::{IssueKey, RepoName};
use serde::{Deserialize, Serialize};

/// The subject of a fact or an effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Issue(IssueKey),
    Repo(RepoName),
}

impl Subject {
    #[must_use]
    pub const fn repo(&self) -> &RepoName {
        match self {
            Self::Issue(issue) => &issue.repo,
            Self::Repo(repo) => repo,
        }
    }

    #[must_use]
    pub const fn issue(&self) -> Option<&IssueKey> {
        match self {
            Self::Issue(issue) => Some(issue),
            Self::Repo(_) => None,
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Issue(issue) => issue.fmt(f),
            Self::Repo(repo) => repo.fmt(f),
        }
    }
}
