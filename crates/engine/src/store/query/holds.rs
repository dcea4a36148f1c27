//! The reason why each managed issue still needs its worktrees, or that it does not.

use super::Reader;
use crate::store::StoreError;
use ralph_core::ids::{IssueKey, RunId};
use ralph_core::issue::{Managed, Phase};
use ralph_core::managed_path::ManagedPath;

/// An issue, its latest run, and whether that run's worktree may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    pub issue: IssueKey,
    pub run: Option<RunId>,
    /// The worktree of the latest run, once it is ready.
    pub workspace: Option<ManagedPath>,
    pub state: HoldState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldState {
    /// One of our processes runs for it, is about to start or is being ended.
    Busy,
    /// Its change is on the default branch, on evidence.
    Done,
    /// It was stopped, so nothing will continue there.
    GivenUp,
    /// Work will continue there, or a person may look at it.
    Kept { because: String },
}

impl Reader {
    /// Every managed issue's hold on its worktrees.
    pub fn holds(&self) -> Result<Vec<Hold>, StoreError> {
        let mut holds = Vec::new();
        for (key, issue) in self.managed_issues()? {
            let Some(managed) = issue.managed.as_deref() else { continue };
            let state = state(managed);
            let state = match state {
                Some(state) => state,
                None => HoldState::Kept { because: self.report(&key, &issue)?.says },
            };
            let run = managed.run.as_ref();
            let workspace = run.and_then(|run| run.workspace.as_ref());
            holds.push(Hold {
                issue: key,
                run: run.map(|run| run.id),
                workspace: workspace.map(|workspace| workspace.path.clone()),
                state,
            });
        }
        Ok(holds)
    }
}

/// `None` if its status says why it is kept.
const fn state(managed: &Managed) -> Option<HoldState> {
    if managed.work.is_some() {
        return Some(HoldState::Busy);
    }
    match managed.phase {
        Phase::Done { .. } => Some(HoldState::Done),
        Phase::Stopped { .. } => Some(HoldState::GivenUp),
        Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::InBot { .. } => None,
    }
}
