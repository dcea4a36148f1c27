//! How two commits lie to each other, and which pulls a commit belongs to.

use std::sync::Arc;

use super::paging::{Listing, Page};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::commit::Commit;
use crate::git::diff::{self, FileChange};
use crate::git::sha::Sha;

/// `base...head`: what head has that base has not, since they parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub merge_base: Sha,
    pub status: CompareStatus,
    pub ahead_by: usize,
    pub behind_by: usize,
    /// On head only, oldest first.
    pub commits: Vec<Arc<Commit>>,
    pub files: Vec<FileChange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareStatus {
    Identical,
    Ahead,
    Behind,
    Diverged,
}

impl Turn<'_> {
    pub(super) fn compare(&self, base: &str, head: &str) -> Response {
        let find = |name: &str| self.resolve(name).ok().ok_or_else(Refusal::not_found);
        let (base, head) = (find(base)?, find(head)?);
        let graph = &self.repo()?.graph;
        let mut split = graph.split(base, head)?;
        let unrelated =
            || Refusal::absent(format!("No common ancestor between {base} and {head}."));
        let merge_base = split.merge_base.ok_or_else(unrelated)?;
        split.right_only.reverse();
        let (ahead_by, behind_by) = (split.right_only.len(), split.left_only.len());
        let status = match (ahead_by, behind_by) {
            (0, 0) => CompareStatus::Identical,
            (_, 0) => CompareStatus::Ahead,
            (0, _) => CompareStatus::Behind,
            (_, _) => CompareStatus::Diverged,
        };
        let files = diff::changes(&graph.known(merge_base)?.tree, &graph.known(head)?.tree);
        let commits = split.right_only;
        let comparison = Comparison { merge_base, status, ahead_by, behind_by, commits, files };
        Ok(Reply::Comparison(Box::new(comparison)))
    }

    pub(super) fn pulls_of_commit(&self, sha: Sha) -> Response {
        let repo = self.repo()?;
        repo.graph.known(sha)?;
        let mut found = Vec::new();
        for number in &repo.pulls {
            let key = self.key(*number);
            let (issue, pull) = (self.issue_at(key)?, self.pull_at(key)?);
            let merge = pull.merged.as_ref().is_some_and(|merge| merge.commit == sha);
            if merge || self.pull_range(key)?.commits.iter().any(|commit| commit.sha == sha) {
                found.push(self.summary_of(key, issue, pull));
            }
        }
        Ok(Reply::Pulls(Listing::of(&found, Page::default(), Clone::clone)))
    }
}
