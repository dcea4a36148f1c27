//! A simulated agent that resolves a conflict with the base, or claims to have resolved it.

use crate::bugs::Bug;
use crate::faults::Fault;
use crate::world::SimWorld;
use ralph_core::fact::Answer;
use ralph_core::ids::IssueKey;
use ralph_core::job::Turn;
use ralph_forge::{Content, Sha, Trial};

/// The first characters of a file that is still in conflict.
pub(crate) const MARK: &str = "<<<<<<< ";

/// So many of a thousand turns find that a conflict is beyond them, where any does.
const BEYOND_PER_MILLE: u64 = 250;

impl SimWorld {
    /// Ralph looks at what the agent left: a merge of both sides, or files that are in conflict still.
    pub(crate) fn resolve(&mut self, issue: &IssueKey, turn: &Turn, base: Sha) -> Answer {
        let path = turn.path.as_str();
        let Some(head) = self.machine.worktrees.get(path).map(|worktree| worktree.head) else {
            return Answer::Unchanged;
        };
        let repo = issue.repo.as_str();
        let Ok(trial) = self.forge.model_mut().trial_merge(repo, head, base) else {
            return Answer::Unchanged;
        };
        let files: Vec<String> = match &*trial {
            Trial::Conflict(paths) => paths.iter().map(ToString::to_string).collect(),
            Trial::Clean(_) => Vec::new(),
        };
        let stays = !files.is_empty() && self.stays_in_conflict(issue);
        if stays && self.faults.bug != Some(Bug::MergesConflicts) {
            return Answer::Unresolved { files };
        }
        let Some(content) = self.forge.resolved(issue, (head, base), &files, stays) else {
            return Answer::Unchanged;
        };
        let content = Content::written(content);
        let message = self.message_of(issue, "Merge the base");
        let made = self.forge.make_commit(&issue.repo, vec![head, base], content, &message);
        let Some(commit) = made else { return Answer::Unchanged };
        let Some(described) = self.forge.describe(&issue.repo, base, commit) else {
            return Answer::Unchanged;
        };
        if let Some(worktree) = self.machine.worktrees.get_mut(path) {
            worktree.head = commit;
        }
        self.machine.local_heads.insert(issue.clone(), (turn.branch.to_string(), commit));
        self.oracle.record.produced.insert(commit.to_string());
        Answer::Changed(described)
    }

    /// Some conflicts are beyond the agent, however often it tries.
    fn stays_in_conflict(&mut self, issue: &IssueKey) -> bool {
        let Self { faults, prng, .. } = self;
        let is_beyond = faults.rate(Fault::ConflictStays) > 0 && prng.chance(BEYOND_PER_MILLE);
        if is_beyond {
            faults.count(Fault::ConflictStays);
            self.machine.stuck.insert(issue.clone());
        }
        !self.faults.is_calm && self.machine.stuck.contains(issue)
    }
}
