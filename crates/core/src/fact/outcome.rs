//! The end of a process: what it left, and what the next one may resume.

use super::Answer;
use crate::gate::CommandRun;
use crate::ids::Sha;
use crate::managed_path::ManagedPath;
use crate::run::Head;
use crate::stall::Stall;
use crate::time::Span;
use serde::{Deserialize, Serialize};

/// The way a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    WorkspaceReady {
        path: ManagedPath,
        base: Sha,
        head: Option<Head>,
    },
    /// The base could not be merged into the branch.
    WorkspaceConflict {
        files: Vec<String>,
        /// Rows of the first version kept nothing but the files.
        #[serde(default)]
        at: Option<Box<ConflictAt>>,
    },
    CommandsPassed {
        command: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ran: Vec<CommandRun>,
    },
    CommandsFailed {
        command: String,
        excerpt: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        ran: Vec<CommandRun>,
    },
    Turn {
        answer: Answer,
        session: Option<String>,
        tokens: Option<u64>,
    },
    /// It ran past its limit and was ended.
    TimedOut {
        limit: Span,
    },
    /// A turn did not get anywhere and was ended, with the last lines it wrote.
    Stalled {
        seen: Stall,
        last: String,
        session: Option<String>,
    },
    /// What the step works on is not on this machine any longer: the mirror or the worktree was removed.
    WorkspaceLost {
        reason: String,
    },
    /// The process could not start, or died, or left what cannot be taken.
    Failed {
        reason: String,
    },
    /// The agent's program could not be started, or ended with an error instead of an answer.
    AgentFailed {
        reason: String,
    },
}

impl Outcome {
    /// The session to resume. A turn that failed, hung or was ended leaves none: the next begins a fresh one.
    #[must_use]
    pub fn session(&self) -> Option<String> {
        match self {
            Self::Turn { session, .. } | Self::Stalled { session, .. } => session.clone(),
            Self::WorkspaceReady { .. }
            | Self::WorkspaceConflict { .. }
            | Self::CommandsPassed { .. }
            | Self::CommandsFailed { .. }
            | Self::TimedOut { .. }
            | Self::WorkspaceLost { .. }
            | Self::AgentFailed { .. }
            | Self::Failed { .. } => None,
        }
    }

    #[must_use]
    pub const fn tokens(&self) -> Option<u64> {
        match self {
            Self::Turn { tokens, .. } => *tokens,
            Self::WorkspaceReady { .. }
            | Self::WorkspaceConflict { .. }
            | Self::CommandsPassed { .. }
            | Self::CommandsFailed { .. }
            | Self::Stalled { .. }
            | Self::TimedOut { .. }
            | Self::WorkspaceLost { .. }
            | Self::AgentFailed { .. }
            | Self::Failed { .. } => None,
        }
    }
}

/// A worktree on a branch that conflicts with its base, as the branch is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictAt {
    pub path: ManagedPath,
    pub base: Sha,
    pub head: Head,
}
