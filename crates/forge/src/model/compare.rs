//! How two commits lie to each other, and which pulls a commit belongs to.

use std::sync::Arc;

use super::paging::{Listing, Page};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::commit::Commit;
use crate::git::diff::{Detail, FileChange};
use crate::git::sha::Sha;

/// `base...head`: what head has that base has not, since they parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub merge_base: Sha,
    pub status: CompareStatus,
    pub ahead_by: usize,
    pub behind_by: usize,
    /// On head only, oldest first; of very many the newest only.
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
        let git = &self.repo()?.git;
        let split = git.split(base, head)?;
        let unrelated =
            || Refusal::absent(format!("No common ancestor between {base} and {head}."));
        let merge_base = split.merge_base.ok_or_else(unrelated)?;
        let (ahead_by, behind_by) = (split.ahead, split.behind);
        let status = match (ahead_by, behind_by) {
            (0, 0) => CompareStatus::Identical,
            (_, 0) => CompareStatus::Ahead,
            (0, _) => CompareStatus::Behind,
            (_, _) => CompareStatus::Diverged,
        };
        let files = git.changes(Some(merge_base), head, Detail::Patches)?;
        let commits = split.commits;
        let comparison = Comparison { merge_base, status, ahead_by, behind_by, commits, files };
        Ok(Reply::Comparison(Box::new(comparison)))
    }

    pub(super) fn pulls_of_commit(&self, sha: Sha, page: Page) -> Response {
        let repo = self.repo()?;
        repo.git.commit(sha)?;
        let mut ends = Vec::new();
        for number in &repo.pulls {
            let key = self.key(*number);
            ends.push((key, self.pull_base(key)?, self.pull_at(key)?.head_sha));
        }
        let tips = ends.iter().flat_map(|(_key, base, head)| [*base, *head]).collect();
        let holders = repo.git.descendants(sha, &tips)?;
        let mut found = Vec::new();
        for (key, base, head) in ends {
            let (issue, pull) = (self.issue_at(key)?, self.pull_at(key)?);
            let merge = pull.merged.as_ref().is_some_and(|merge| merge.commit == sha);
            if merge || (holders.contains(&head) && !holders.contains(&base)) {
                found.push(self.summary_of(key, issue, pull));
            }
        }
        Ok(Reply::Pulls(Listing::of(&found, page, Clone::clone)))
    }
}
