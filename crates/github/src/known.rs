//! What need not be asked again for a while: a repository's default branch, which changes once in years,
//! in an answer that changes with every push.

use ralph_core::ids::{Branch, RepoName};
use ralph_core::time::{Span, Time};
use std::collections::BTreeMap;

/// How long a default branch is taken as told.
const DEFAULT_BRANCH_KEPT: Span = Span::from_mins(10);

#[derive(Debug, Default)]
pub(crate) struct Known {
    default_branches: BTreeMap<RepoName, (Branch, Time)>,
}

impl Known {
    pub(crate) fn default_branch(&self, repo: &RepoName, now: Time) -> Option<Branch> {
        let (branch, read) = self.default_branches.get(repo)?;
        let is_fresh = *read <= now && now.since(*read) < DEFAULT_BRANCH_KEPT;
        is_fresh.then(|| branch.clone())
    }

    pub(crate) fn learn_default_branch(&mut self, repo: &RepoName, branch: &Branch, now: Time) {
        self.default_branches.insert(repo.clone(), (branch.clone(), now));
    }

    pub(crate) fn forget_default_branch(&mut self, repo: &RepoName) {
        self.default_branches.remove(repo);
    }
}
