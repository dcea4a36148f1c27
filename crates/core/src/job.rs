//! Jobs: the tasks of started processes. A job is resolved completely when it is decided, so running it leaves no
//! choice.

use crate::account::AccountName;
use crate::digest::Digest;
use crate::gate::Gate;
use crate::guidance::Guidance;
use crate::ids::{Branch, RunId, Sha};
use crate::managed_path::ManagedPath;
use crate::messages::Message;
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
        /// The former branch of this issue, whose commits are rescued.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leaves: Option<Branch>,
    },
    Setup {
        run: RunId,
        path: ManagedPath,
        commands: Vec<String>,
        /// For each command, here and below.
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
    /// Run the commands in a clean checkout of the commit, with the base's own tests and check definitions in it. Files
    /// that the plan names stay as they are in the commit.
    Integrity {
        run: RunId,
        base: Sha,
        commit: Sha,
        setup: Vec<String>,
        setup_timeout: Span,
        commands: Vec<String>,
        timeout: Span,
        /// For all of the base's own checks together, which run after the commands.
        #[serde(default)]
        checks_timeout: Span,
        test_globs: Vec<String>,
        plan: Option<Digest>,
    },
    Turn(Box<Turn>),
}

impl Job {
    /// The worktree of the job; preflight and integrity have a separate checkout.
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
    /// The commit; `None` before anything was implemented.
    pub head: Option<Sha>,
    pub base: Sha,
    /// The session to resume: the working session of the run, or the reviewer's own for a repair.
    pub session: Option<String>,
    /// The turn only has to give a valid verdict line.
    pub is_repair: bool,
    /// The answer that a repair is about, by digest.
    #[serde(default)]
    pub earlier: Option<Digest>,
    pub timeout: Span,
    pub title: String,
    /// The issue's text, by digest; the prompt quotes it as data.
    pub body: Digest,
    pub plan: Option<Digest>,
    pub feedback: Option<String>,
    /// Findings of reviews that did not pass: to be dealt with, or to be looked for again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Findings>,
    /// The stall of the turn before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Stalled>,
    /// The work of its children, for a turn that verifies or plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentBrief>,
    /// A base whose merge this turn has to finish; the conflicts are in the worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merging: Option<Sha>,
    /// Answers of people with write access to escalations, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// People's messages to the agent, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The repository's claims ledger, for the review of a plan.
    #[serde(default)]
    pub claims_file: String,
    /// The base's own files for this role.
    #[serde(default, skip_serializing_if = "Guidance::is_empty")]
    pub guidance: Guidance,
    /// The account that it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountName>,
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
