//! Commands given on this machine, as they are posted and stored.

use ralph_core::command::{Command, Manner};
use ralph_core::ids::{IssueKey, Login, RepoName};
use serde::{Deserialize, Serialize};

/// A command given on this machine instead of on the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalCommand {
    pub actor: Login,
    /// Chosen by the sender. Posting a command again with the same key does not repeat it.
    pub key: Option<String>,
    pub order: Order,
}

/// The content of a command given on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Order {
    /// The same command that a label on the issue gives.
    Issue { issue: IssueKey, command: Command, manner: Manner },
    /// A message to the agents that work on the issue.
    Tell { issue: IssueKey, text: String },
    /// Takes over a repository from the Ralph that holds it.
    TakeOver { repo: RepoName },
    /// Starts nothing new until the order is revoked.
    Drain,
}

impl LocalCommand {
    #[must_use]
    pub const fn on_issue(
        issue: IssueKey,
        (command, manner): (Command, Manner),
        actor: Login,
    ) -> Self {
        Self { actor, key: None, order: Order::Issue { issue, command, manner } }
    }
}

impl Order {
    /// The repository it is about; `None` for all of them.
    #[must_use]
    pub const fn repo(&self) -> Option<&RepoName> {
        match self {
            Self::Issue { issue, .. } | Self::Tell { issue, .. } => Some(&issue.repo),
            Self::TakeOver { repo } => Some(repo),
            Self::Drain => None,
        }
    }

    /// The issue or repository it is about, as a person writes it.
    #[must_use]
    pub fn about(&self) -> String {
        match self {
            Self::Issue { issue, .. } | Self::Tell { issue, .. } => issue.to_string(),
            Self::TakeOver { repo } => repo.to_string(),
            Self::Drain => "*".to_owned(),
        }
    }

    /// The command as a person types it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Issue { command, manner, .. } => manner.of(*command),
            Self::Tell { .. } => "tell".to_owned(),
            Self::TakeOver { .. } => "take-over".to_owned(),
            Self::Drain => "drain".to_owned(),
        }
    }
}
