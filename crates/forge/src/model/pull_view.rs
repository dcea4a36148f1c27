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
use crate::git::commit::Commit;
use crate::git::diff::{self, FileChange};
use crate::git::sha::Sha;
use crate::git::tree::Tree;

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
        let range = self.pull_range(key)?;
        let (commits, changed_files) = (range.commits.len(), range.files.len());
        let view = PullView { summary, mergeable, merge_state, commits, changed_files };
        Ok(Reply::Pull(Box::new(view)))
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
        let commits = self.pull_range(self.key(number))?.commits;
        Ok(Reply::Commits(Listing::of(&commits, page, Arc::clone)))
    }

    pub(super) fn pull_files(&self, number: u64, page: Page) -> Response {
        let files = self.pull_range(self.key(number))?.files;
        Ok(Reply::Files(Listing::of(&files, page, Clone::clone)))
    }

    /// What the pull adds. A closed one is compared with the base as it was, since afterwards the
    /// base may contain it.
    pub(super) fn pull_range(&self, key: IssueKey) -> Result<PullRange, Refusal> {
        let pull = self.pull_at(key)?;
        let repo = self.repo_at(key.repository)?;
        let open = self.issue_at(key)?.state.is_open();
        let tip = repo.branches.get(&pull.base).copied().filter(|_tip| open);
        let mut split = repo.graph.split(tip.unwrap_or(pull.base_sha), pull.head_sha)?;
        split.right_only.reverse();
        let origin = split.merge_base.and_then(|sha| repo.graph.get(sha));
        let origin = origin.map_or_else(Tree::default, |commit| commit.tree.clone());
        let files = diff::changes(&origin, &repo.graph.known(pull.head_sha)?.tree);
        Ok(PullRange { commits: split.right_only, files })
    }
}

pub(super) struct PullRange {
    /// Oldest first.
    pub(super) commits: Vec<Arc<Commit>>,
    pub(super) files: Vec<FileChange>,
}
