//! Outcomes: the end of a process, its results, and the session that the next one may resume.

use super::Answer;
use crate::gate::CommandRun;
use crate::guidance::Guidance;
use crate::ids::Sha;
use crate::managed_path::ManagedPath;
use crate::run::Head;
use crate::stall::Stall;
use crate::time::Span;
use crate::turn_end::{EndClass, Usage};
use serde::{Deserialize, Serialize};

/// The way a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    WorkspaceReady {
        path: ManagedPath,
        base: Sha,
        head: Option<Head>,
        #[serde(default, skip_serializing_if = "Guidance::is_empty")]
        guidance: Guidance,
    },
    /// The base could not be merged into the branch.
    WorkspaceConflict {
        files: Vec<String>,
        /// The place of the conflict; rows of the first version kept only the files.
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
        #[serde(default, alias = "tokens")]
        usage: Option<Usage>,
    },
    /// The process exceeded its time limit and was ended.
    TimedOut { limit: Span },
    /// A turn made no progress and was ended; its last lines are kept.
    Stalled { seen: Stall, last: String, session: Option<String> },
    /// The mirror or the worktree that the step needs is no longer on this machine.
    WorkspaceLost { reason: String },
    /// The process could not start, died, or left an unusable result.
    Failed { reason: String },
    /// The agent's program could not be started, or ended with an error instead of an answer.
    AgentFailed {
        reason: String,
        #[serde(default)]
        class: EndClass,
    },
}

impl Outcome {
    /// Returns the session to resume. A turn that failed, hung or was ended leaves none, so that the next begins a
    /// fresh one.
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
    pub const fn usage(&self) -> Option<Usage> {
        match self {
            Self::Turn { usage, .. } => *usage,
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

/// A worktree whose branch conflicts with its base, with the state of the branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictAt {
    pub path: ManagedPath,
    pub base: Sha,
    pub head: Head,
    #[serde(default, skip_serializing_if = "Guidance::is_empty")]
    pub guidance: Guidance,
}
