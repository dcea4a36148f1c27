//! Pulls in replies: short in lists, with their mergeability when requested alone.

use std::sync::Arc;

use super::context::Context;
use super::issue_view::IssueView;
use super::issues::IssueKey;
use super::mergeability::MergeState;
use super::paging::{Listing, Page};
use super::pulls::MergeRecord;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use super::view::View;
use crate::git::Split;
use crate::git::commit::Commit;
use crate::git::diff::{Detail, FileChange};
use crate::git::sha::Sha;

/// A pull in a list, without its mergeability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullSummary {
    /// The part it shares with issues: number, title, body, state, labels.
    pub issue: IssueView,
    pub draft: bool,
    pub head: String,
    pub head_sha: Sha,
    pub base: String,
    /// The base's tip when the pull last changed; the branch itself may be further on.
    pub base_sha: Sha,
    pub merged: Option<MergeRecord>,
    /// While open this is a trial merge that no branch leads to, so it proves nothing.
    pub merge_commit: Option<Sha>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullView {
    pub summary: PullSummary,
    /// None until computed, and again after each change of head or base.
    pub mergeable: Option<bool>,
    pub merge_state: MergeState,
    pub commits: usize,
    pub changed_files: usize,
    pub additions: u64,
    pub deletions: u64,
}

operations! {
    ListPullFiles { number: u64, page: Page }
    /// Returns the commits of a pull, oldest first.
    ListPullCommits { number: u64, page: Page }
}

impl Operation for ListPullFiles {
    type Reply = Listing<FileChange>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<FileChange>, Refusal> {
        let repo = context.repo()?;
        let split = repo.pull_split(self.number)?;
        let files = repo.pull_changes(self.number, &split, Detail::Patches)?;
        Ok(Listing::of(&files, self.page, Clone::clone))
    }
}

impl Operation for ListPullCommits {
    type Reply = Listing<Arc<Commit>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Commit>>, Refusal> {
        let commits = context.repo()?.pull_split(self.number)?.commits;
        Ok(Listing::of(&commits, self.page, Arc::clone))
    }
}

impl View<'_> {
    pub(super) fn pull(self, key: IssueKey) -> Result<PullView, Refusal> {
        let repo = self.forge.repo_at(key.repository)?;
        let summary = self.pull_summary(key)?;
        let merge_state = repo.merge_state(key.number)?;
        let mergeable = match merge_state {
            MergeState::Unknown => None,
            MergeState::Dirty => Some(false),
            MergeState::Draft
            | MergeState::Blocked
            | MergeState::Behind
            | MergeState::Unstable
            | MergeState::HasHooks
            | MergeState::Clean => Some(true),
        };
        let split = repo.pull_split(key.number)?;
        let files = repo.pull_changes(key.number, &split, Detail::Counts)?;
        Ok(PullView {
            summary,
            mergeable,
            merge_state,
            commits: split.ahead,
            changed_files: files.len(),
            additions: files.iter().map(|file| file.additions).sum(),
            deletions: files.iter().map(|file| file.deletions).sum(),
        })
    }

    pub(super) fn pull_summary(self, key: IssueKey) -> Result<PullSummary, Refusal> {
        let pull = self.forge.repo_at(key.repository)?.pull(key.number)?;
        let tried = || pull.judgement.as_ref().and_then(|judgement| judgement.test_merge);
        Ok(PullSummary {
            issue: self.issue(key)?,
            draft: pull.draft,
            head: pull.head.clone(),
            head_sha: pull.head_sha,
            base: pull.base.clone(),
            base_sha: pull.base_sha,
            merged: pull.merged.clone(),
            merge_commit: pull.merged.as_ref().map(|merge| merge.commit).or_else(tried),
        })
    }
}

impl Repository {
    /// Returns the commits that a pull adds, and where it parted from its base.
    pub(super) fn pull_split(&self, number: u64) -> Result<Split, Refusal> {
        Ok(self.git.split(self.pull_base(number)?, self.pull(number)?.head_sha)?)
    }

    /// Returns the commit that a pull is compared with. For a closed one it is the base at that
    /// time, since the base may contain the pull afterwards.
    pub(super) fn pull_base(&self, number: u64) -> Result<Sha, Refusal> {
        let (pull, is_open) = (self.pull(number)?, self.issue(number)?.state.is_open());
        let tip = self.branches.get(&pull.base).copied();
        Ok(tip.filter(|_tip| is_open).unwrap_or(pull.base_sha))
    }

    fn pull_changes(
        &self,
        number: u64,
        split: &Split,
        detail: Detail,
    ) -> Result<Vec<FileChange>, Refusal> {
        Ok(self.git.changes(split.merge_base, self.pull(number)?.head_sha, detail)?)
    }
}
