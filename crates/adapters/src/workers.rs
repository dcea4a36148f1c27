//! The port to processes on this machine: worktrees being made, the operator's commands, and agents. One registry knows
//! every attempt of any kind.

use crate::agent::CommandAgents;
use crate::gate_runner::GateRunner;
use crate::git_workspaces::GitWorkspaces;
use crate::jobs::Jobs;
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::job::Job;
use ralph_engine::ports::{self, Answer, Start};
use std::sync::Arc;

/// Clones share everything.
#[derive(Debug, Clone)]
pub struct Workers {
    pub(crate) workspaces: GitWorkspaces,
    pub(crate) agents: CommandAgents,
    pub(crate) gates: GateRunner,
    pub(crate) jobs: Arc<Jobs>,
}

impl Workers {
    /// Tells the words of the operator to the agent of an attempt, in the same turn. False if its program takes none
    /// now: it has ended, or is of a kind that reads nothing while it works.
    #[must_use]
    pub fn tell(&self, issue: &IssueKey, attempt: Attempt, words: &str) -> bool {
        self.jobs.tell(issue, attempt, words)
    }
}

impl ports::Workers for Workers {
    fn start(&mut self, start: &Start<'_>) -> Answer<()> {
        match start.job {
            Job::Workspace { .. } => self.workspaces.prepare(start),
            Job::Setup { .. } | Job::Preflight { .. } | Job::Integrity { .. } => {
                self.gates.start(start)
            }
            Job::Turn(turn) => self.agents.start(start, turn),
        }
    }

    fn end(&mut self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        self.jobs.end(issue, attempt)
    }
}
