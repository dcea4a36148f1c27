//! A pull as it is answered: short in lists, with its mergeability when asked for alone.

use std::sync::Arc;

use super::issue_view::IssueView;
use super::issues::Issue;
use super::mergeability::MergeState;
use super::paging::{Listing, Page};
use super::pulls::{MergeRecord, Pull};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::{IssueKey, Turn};
use crate::git::Split;
use crate::git::diff::{Detail, FileChange};
use crate::git::sha::Sha;

/// What lists show: nothing about mergeability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullSummary {
    /// What it shares with issues: number, title, body, state, labels.
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

impl Turn<'_> {
    pub(super) fn pull_reply(&self, key: IssueKey) -> Response {
        let summary = self.summary_of(key, self.issue_at(key)?, self.pull_at(key)?);
        let merge_state = self.merge_state(key)?;
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
        let split = self.pull_split(key)?;
        let files = self.pull_changes(key, &split, Detail::Counts)?;
        Ok(Reply::Pull(Box::new(PullView {
            summary,
            mergeable,
            merge_state,
            commits: split.ahead,
            changed_files: files.len(),
            additions: files.iter().map(|file| file.additions).sum(),
            deletions: files.iter().map(|file| file.deletions).sum(),
        })))
    }

    pub(super) fn summary_of(&self, key: IssueKey, issue: &Issue, pull: &Pull) -> PullSummary {
        let tried = || pull.judgement.as_ref().and_then(|judgement| judgement.test_merge);
        PullSummary {
            issue: self.view_of(key, issue),
            draft: pull.draft,
            head: pull.head.clone(),
            head_sha: pull.head_sha,
            base: pull.base.clone(),
            base_sha: pull.base_sha,
            merged: pull.merged.clone(),
            merge_commit: pull.merged.as_ref().map(|merge| merge.commit).or_else(tried),
        }
    }

    pub(super) fn pull_commits(&self, number: u64, page: Page) -> Response {
        let commits = self.pull_split(self.key(number))?.commits;
        Ok(Reply::Commits(Listing::of(&commits, page, Arc::clone)))
    }

    pub(super) fn pull_files(&self, number: u64, page: Page) -> Response {
        let key = self.key(number);
        let files = self.pull_changes(key, &self.pull_split(key)?, Detail::Patches)?;
        Ok(Reply::Files(Listing::of(&files, page, Clone::clone)))
    }

    /// What the pull adds.
    pub(super) fn pull_split(&self, key: IssueKey) -> Result<Split, Refusal> {
        let (base, head) = (self.pull_base(key)?, self.pull_at(key)?.head_sha);
        Ok(self.repo_at(key.repository)?.git.split(base, head)?)
    }

    /// What the pull is compared with: a closed one with the base as it was, since afterwards the
    /// base may contain it.
    pub(super) fn pull_base(&self, key: IssueKey) -> Result<Sha, Refusal> {
        let pull = self.pull_at(key)?;
        let open = self.issue_at(key)?.state.is_open();
        let tip = self.repo_at(key.repository)?.branches.get(&pull.base).copied();
        Ok(tip.filter(|_tip| open).unwrap_or(pull.base_sha))
    }

    fn pull_changes(
        &self,
        key: IssueKey,
        split: &Split,
        detail: Detail,
    ) -> Result<Vec<FileChange>, Refusal> {
        let git = &self.repo_at(key.repository)?.git;
        Ok(git.changes(split.merge_base, self.pull_at(key)?.head_sha, detail)?)
    }
}
