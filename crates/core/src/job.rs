//! What a started process is to do. Resolved completely when it is decided, so whoever runs it has no choice.

use crate::digest::Digest;
use crate::gate::Gate;
use crate::ids::{Branch, RunId, Sha};
use crate::managed_path::ManagedPath;
use crate::notes::Note;
use crate::parent::ParentBrief;
pub use crate::role::{Asked, Manner, Place, Role, Shown};
use crate::stall::Stalled;
use crate::time::Span;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Make the worktree, or bring an existing one up to its base.
    Workspace {
        run: RunId,
        path: ManagedPath,
        branch: Branch,
        base: Branch,
        /// A branch that is left for this one: what is on it is rescued.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leaves: Option<Branch>,
    },
    Setup {
        run: RunId,
        path: ManagedPath,
        commands: Vec<String>,
        /// For each of them, here and below.
        timeout: Span,
    },
    /// Run the operator's commands in a clean checkout of the commit, after setup in the same checkout.
    Preflight {
        run: RunId,
        commit: Sha,
        #[serde(default)]
        setup: Vec<String>,
        #[serde(default)]
        setup_timeout: Span,
        commands: Vec<String>,
        timeout: Span,
    },
    /// Run them in a clean checkout of the commit with the base's own tests and check definitions in it. Files
    /// that the plan names are left as the commit has them.
    Integrity {
        run: RunId,
        base: Sha,
        commit: Sha,
        setup: Vec<String>,
        setup_timeout: Span,
        commands: Vec<String>,
        timeout: Span,
        /// For all of the base's own checks together that are run after them.
        #[serde(default)]
        checks_timeout: Span,
        test_globs: Vec<String>,
        plan: Option<Digest>,
    },
    Turn(Box<Turn>),
}

impl Job {
    /// The worktree it works in; preflight and integrity have a checkout of its own.
    #[must_use]
    pub const fn path(&self) -> Option<&ManagedPath> {
        match self {
            Self::Workspace { path, .. } | Self::Setup { path, .. } => Some(path),
            Self::Turn(turn) => Some(&turn.path),
            Self::Preflight { .. } | Self::Integrity { .. } => None,
        }
    }
}

/// One turn of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub run: RunId,
    pub role: Role,
    #[serde(default)]
    pub manner: Manner,
    pub path: ManagedPath,
    pub branch: Branch,
    /// `None` before anything was implemented.
    pub head: Option<Sha>,
    pub base: Sha,
    /// To be resumed: the working session of the run, or for a repair that of the reviewer itself.
    pub session: Option<String>,
    /// Asks for nothing but a valid verdict line.
    pub is_repair: bool,
    /// The answer that a repair is about, by digest.
    #[serde(default)]
    pub earlier: Option<Digest>,
    pub timeout: Span,
    pub title: String,
    /// The issue's text, by digest; it is quoted as data.
    pub body: Digest,
    pub plan: Option<Digest>,
    pub feedback: Option<String>,
    /// Findings of reviews that did not let the work through: to be dealt with, or to be looked for again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Findings>,
    /// The turn before this one stalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Stalled>,
    /// What its children did, for a turn that verifies or plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentBrief>,
    /// A base whose merge this turn is to finish; its conflicts are in the worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merging: Option<Sha>,
    /// What people with write access answered to escalations, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Where the repository keeps what it claims, for the review of a plan.
    #[serde(default)]
    pub claims_file: String,
}

/// A reviewer's words before a verdict of fail, by digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    pub gate: Gate,
    pub text: Digest,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_an_earlier_version_stored_is_still_read() {
        let preflight = r#"{"preflight":{"run":{"issue":7,"run":1},"commit":"c","commands":["a"],
            "timeout":1}}"#;
        let Ok(Job::Preflight { setup, setup_timeout, .. }) = serde_json::from_str(preflight)
        else {
            panic!("{:?}", serde_json::from_str::<Job>(preflight))
        };
        assert_eq!((setup, setup_timeout), (Vec::new(), Span::ZERO));
        let turn = r#"{"turn":{"run":{"issue":7,"run":1},"role":"plan","path":"/srv/trees/a__b/slot-0/7/7-1",
            "branch":"b","head":null,"base":"c","session":"s","is_repair":false,"timeout":1,
            "title":"t","body":"0000000000000000000000000000000000000000000000000000000000000000",
            "plan":null,"feedback":null}}"#;
        let turn = serde_json::from_str(turn).unwrap();
        let Job::Turn(turn) = turn else { panic!("{turn:?}") };
        assert_eq!((turn.session.as_deref(), turn.earlier), (Some("s"), None));
        assert_eq!((turn.notes, turn.findings), (Vec::new(), Vec::new()));
    }
}
