//! Answers that need no request, because they are a moment old or hardly ever change.

use crate::whereabouts::Whereabouts;
use ralph_core::ids::{Branch, PullNumber, RepoName};
use ralph_core::pull::Pull;
use ralph_core::time::{Span, Time};
use std::collections::BTreeMap;

/// The time for which the name of a default branch is kept. It changes once in years, in an answer that changes with
/// every push.
const DEFAULT_BRANCH_KEPT: Span = Span::from_mins(10);
/// The time for which the answer to opening a pull request serves as the first read of it, which follows at once.
const OPENED_KEPT: Span = Span::from_secs(1);

/// The time for which it is taken as known that a repository is not where it was: a hundred issues that are not found are no
/// reason to ask a hundred times.
const WHEREABOUTS_KEPT: Span = Span::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Known {
    default_branches: BTreeMap<RepoName, (Branch, Time)>,
    opened: BTreeMap<(RepoName, PullNumber), Pull>,
    /// The time at which the list of changed issues may begin, later than it would by itself.
    begins: BTreeMap<RepoName, Time>,
    whereabouts: BTreeMap<RepoName, (Whereabouts, Time)>,
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

    pub(crate) fn whereabouts(&self, repo: &RepoName, now: Time) -> Option<Whereabouts> {
        let (known, read) = self.whereabouts.get(repo)?;
        let is_fresh = *read <= now && now.since(*read) < WHEREABOUTS_KEPT;
        is_fresh.then(|| known.clone())
    }

    pub(crate) fn learn_whereabouts(&mut self, repo: &RepoName, found: &Whereabouts, now: Time) {
        self.whereabouts.retain(|_, (_, read)| now.since(*read) < WHEREABOUTS_KEPT);
        self.whereabouts.insert(repo.clone(), (found.clone(), now));
    }

    /// The time at which the list of issues begins for a cursor. A time noted after a list that the reader never took
    /// over lies past its cursor, and does not count.
    pub(crate) fn begin(&self, repo: &RepoName, cursor: Time, window: Time) -> Time {
        let noted = self.begins.get(repo).filter(|begin| **begin <= cursor);
        noted.map_or(window, |begin| window.max(*begin))
    }

    pub(crate) fn begin_at(&mut self, repo: &RepoName, begin: Time) {
        self.begins.insert(repo.clone(), begin);
    }

    pub(crate) fn learn_opened(&mut self, repo: &RepoName, pull: &Pull) {
        self.opened.retain(|_, known| pull.read_at.since(known.read_at) <= OPENED_KEPT);
        self.opened.insert((repo.clone(), pull.number), pull.clone());
    }

    /// It is about to be changed.
    pub(crate) fn forget_opened(&mut self, repo: &RepoName, number: PullNumber) {
        self.opened.remove(&(repo.clone(), number));
    }

    /// A pull request that was opened just now; the second time it has to be read.
    pub(crate) fn take_opened(
        &mut self,
        repo: &RepoName,
        number: PullNumber,
        now: Time,
    ) -> Option<Pull> {
        let opened = self.opened.remove(&(repo.clone(), number))?;
        let is_fresh = opened.read_at <= now && now.since(opened.read_at) <= OPENED_KEPT;
        is_fresh.then_some(opened)
    }
}
