//! How a simulated agent resolves a conflict with the base, or says that it has.

use crate::bugs::Bug;
use crate::town::Town;
use crate::weather::Fault;
use ralph_core::fact::Answer;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::job::Turn;
use ralph_forge::{Content, GitCall, Reply, Sha, Trial};
use std::collections::BTreeMap;

/// What a file begins with that is in conflict still.
pub(crate) const MARK: &str = "<<<<<<< ";

/// So many of a thousand turns find that a conflict is beyond them, where any does.
const BEYOND_PER_MILLE: u64 = 250;

impl Town {
    /// Ralph looks at what the agent left: a merge of both sides, or files that are in conflict still.
    pub(crate) fn resolve(&mut self, issue: &IssueKey, turn: &Turn, base: Sha) -> Answer {
        let path = turn.path.as_str();
        let Some(head) = self.worktrees.get(path).map(|worktree| worktree.head) else {
            return Answer::Unchanged;
        };
        let repo = issue.repo.as_str();
        let Ok(trial) = self.forge_mut().trial_merge(repo, head, base) else {
            return Answer::Unchanged;
        };
        let files: Vec<String> = match &*trial {
            Trial::Conflict(paths) => paths.iter().map(ToString::to_string).collect(),
            Trial::Clean(_) => Vec::new(),
        };
        let stays = !files.is_empty() && self.stays_in_conflict(issue);
        if stays && self.bug != Some(Bug::MergesConflicts) {
            return Answer::Unresolved { files };
        }
        let Some(content) = self.resolved(issue, (head, base), &files, stays) else {
            return Answer::Unchanged;
        };
        let content = Content::written(content);
        let message = self.message_of(issue, "Merge the base");
        let made = self.make_commit(&issue.repo, vec![head, base], content, &message);
        let Some(commit) = made else { return Answer::Unchanged };
        let Some(described) = self.describe(&issue.repo, base, commit) else {
            return Answer::Unchanged;
        };
        if let Some(worktree) = self.worktrees.get_mut(path) {
            worktree.head = commit;
        }
        self.local_heads.insert(issue.clone(), (turn.branch.to_string(), commit));
        self.ledger.produced.insert(commit.to_string());
        Answer::Changed(described)
    }

    /// Some conflicts are beyond the agent, however often it tries.
    fn stays_in_conflict(&mut self, issue: &IssueKey) -> bool {
        let Self { weather, prng, .. } = self;
        let is_beyond = weather.rate(Fault::ConflictStays) > 0 && prng.chance(BEYOND_PER_MILLE);
        if is_beyond {
            weather.count(Fault::ConflictStays);
            self.stuck.insert(issue.clone());
        }
        !self.weather.is_calm && self.stuck.contains(issue)
    }

    /// What the base has changed, and both sides' words where they are at odds.
    fn resolved(
        &mut self,
        issue: &IssueKey,
        (head, base): (Sha, Sha),
        files: &[String],
        stays: bool,
    ) -> Option<BTreeMap<String, String>> {
        let (left, right) = (base.to_string(), head.to_string());
        let call = GitCall::Compare { base: left, head: right };
        let Some(Reply::Comparison(met)) = self.look(&issue.repo, call) else { return None };
        let repo = issue.repo.as_str();
        let text = |commit, path: &str| self.forge().text_at(repo, commit, path);
        let mut written = BTreeMap::new();
        for (path, theirs) in self.files_at(&issue.repo, base) {
            if files.iter().any(|file| **file == *path) {
                let ours = text(head, &path).unwrap_or_default();
                let mark = if stays { MARK } else { "" };
                written.insert(path.to_string(), format!("{mark}{ours} and {theirs}"));
            } else if text(met.merge_base, &path).as_ref() != Some(&theirs) {
                written.insert(path.to_string(), theirs.to_string());
            }
        }
        Some(written)
    }

    /// Has a commit a file that is in conflict still?
    pub(crate) fn has_conflicts(&self, repo: &RepoName, commit: Sha) -> bool {
        self.files_at(repo, commit).any(|(_, text)| text.contains(MARK))
    }
}
