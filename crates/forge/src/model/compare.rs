//! Comparisons of two commits, and the pulls that a commit belongs to.

use std::sync::Arc;

use super::context::Context;
use super::paging::{Listing, Page};
use super::pull_view::PullSummary;
use super::refusal::Refusal;
use super::request::{Operation, operations};
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

operations! {
    /// Compares two references, which are branches or full shas.
    CompareCommits { base: String, head: String }
    /// Returns the pulls that have this commit, or whose merge commit it is.
    ListCommitPulls { sha: Sha, page: Page }
}

impl Operation for CompareCommits {
    type Reply = Comparison;

    fn run(self, context: &mut Context<'_>) -> Result<Comparison, Refusal> {
        let repo = context.repo()?;
        let find = |name: &str| repo.resolve(name).ok().ok_or_else(Refusal::not_found);
        let (base, head) = (find(&self.base)?, find(&self.head)?);
        let split = repo.git.split(base, head)?;
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
        let files = repo.git.changes(Some(merge_base), head, Detail::Patches)?;
        let commits = split.commits;
        Ok(Comparison { merge_base, status, ahead_by, behind_by, commits, files })
    }
}

impl Operation for ListCommitPulls {
    type Reply = Listing<PullSummary>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<PullSummary>, Refusal> {
        let (view, sha) = (context.view(), self.sha);
        let repo = view.repo()?;
        repo.git.commit(sha)?;
        let mut ends = Vec::new();
        for number in &repo.pulls {
            ends.push((*number, repo.pull_base(*number)?, repo.pull(*number)?.head_sha));
        }
        let tips = ends.iter().flat_map(|(_number, base, head)| [*base, *head]).collect();
        let holders = repo.git.descendants(sha, &tips)?;
        let mut found = Vec::new();
        for (number, base, head) in ends {
            let merged = repo.pull(number)?.merged.as_ref();
            let is_merge = merged.is_some_and(|merge| merge.commit == sha);
            if is_merge || (holders.contains(&head) && !holders.contains(&base)) {
                found.push(view.pull_summary(view.key(number))?);
            }
        }
        Ok(Listing::of(&found, self.page, Clone::clone))
    }
}
