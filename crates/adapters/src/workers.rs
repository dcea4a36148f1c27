//! The port to processes on this machine: worktrees being made, the operator's commands, and agents. One registry knows
//! every attempt of any kind.

use crate::agent::CommandAgents;
use crate::gate_runner::GateRunner;
use crate::git_workspaces::GitWorkspaces;
use crate::jobs::Jobs;
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::job::Job;
use ralph_core::messages::MessageId;
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

    fn tell(
        &mut self,
        issue: &IssueKey,
        attempt: Attempt,
        message: MessageId,
        words: &str,
    ) -> Answer<()> {
        self.jobs.tell((issue, attempt), message, words)
    }

    fn end(&mut self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        self.jobs.end(issue, attempt)
    }
}
