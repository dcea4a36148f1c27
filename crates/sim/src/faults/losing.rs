//! Lost workspaces: one that was being made when Ralph died, and a deleted mirror.

use crate::faults::Fault;
use crate::machine::working::{Ending, Worktree};
use crate::world::{BOT_BRANCH, SimWorld};
use ralph_core::fact::Outcome;
use ralph_core::ids::IssueKey;
use ralph_core::job::Job;
use std::collections::BTreeMap;

/// In thousandths: how often a workspace in the making is left behind. Making one takes seconds, and a death undoes
/// nothing.
const LEFT_MILLI: u64 = 500;

impl SimWorld {
    /// Git dies with Ralph. A workspace that was being made stays as far as it got, and Ralph hears nothing of it.
    pub(crate) fn leave_workspaces(&mut self) {
        let making = self.machine.processes.values().filter(|process| process.is_alive);
        let making = making.filter_map(|process| match &process.job {
            Job::Workspace { path, .. } => Some((process.issue.clone(), path.clone())),
            Job::Setup { .. } | Job::Preflight { .. } | Job::Integrity { .. } | Job::Turn(_) => {
                None
            }
        });
        for (issue, path) in making.collect::<Vec<_>>() {
            let is_left = self.prng.chance(LEFT_MILLI);
            let base = self.forge.model().branch(issue.repo.as_str(), BOT_BRANCH);
            let is_there = self.machine.worktrees.contains_key(path.as_str());
            if let Some(head) = base.filter(|_| is_left && !is_there) {
                self.faults.count(Fault::CrashInWorkspace);
                let worktree = Worktree { head, uncommitted: BTreeMap::new() };
                self.machine.worktrees.insert(path.as_str().to_owned(), worktree);
            }
        }
    }

    /// A person deletes the mirror that a process uses. Commits that were not pushed are lost; the files in the
    /// worktree are left.
    pub(crate) fn mirror_lost(&mut self, issue: &IssueKey, job: &Job) -> Option<Ending> {
        let Self { faults, prng, .. } = self;
        let is_lost =
            !matches!(job, Job::Workspace { .. }) && faults.strikes(Fault::MirrorLost, prng);
        is_lost.then(|| {
            self.machine.local_heads.remove(issue);
            let reason = "there is no mirror of the repository here".to_owned();
            (Outcome::WorkspaceLost { reason }, Vec::new())
        })
    }
}
