//! People at the branches and pull requests: they push, merge, close, and point them elsewhere.

use crate::syncing::SYNC_BRANCHES;
use crate::town::{BOT_BRANCH, DEFAULT_BRANCH, MAINTAINER, OWNER, STRANGER, Town};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_forge::{
    BranchCommit, CloseReason, Content, NewPull, Page, PullCall, PullEdit, PullFilter, Reply,
    StateChange,
};

impl Town {
    pub(super) fn move_base(&mut self, repo: &RepoName) {
        let branch = if self.prng.chance(600) { BOT_BRANCH } else { DEFAULT_BRANCH };
        let text = format!("moved {}", self.prng.below(1_000_000));
        let path = if self.prng.chance(500) { "shared.txt" } else { "docs.txt" };
        self.commit_by_hand(repo, branch, path, &text);
    }

    pub(crate) fn push_to_branch(&mut self, key: &IssueKey) {
        let Some(number) = self.open_pull_of(key) else { return };
        let call = PullCall::Get { number };
        let Some(Reply::Pull(view)) = self.look(&key.repo, call) else { return };
        let repo = key.repo.as_str();
        let text = format!("by hand {}", self.prng.below(1_000_000));
        let commit = BranchCommit {
            branch: view.summary.head.clone(),
            content: Content::written([("by-hand.txt", text.as_str())]),
            message: "A person's change".to_owned(),
        };
        self.keep_for_stale_reads();
        let now = self.seconds();
        if let Ok((_, events)) = self.forge_mut().commit_on_branch(MAINTAINER, now, repo, commit) {
            self.spread(&events);
        }
    }

    /// The open task pull request of an issue.
    pub(crate) fn open_pull_of(&mut self, key: &IssueKey) -> Option<u64> {
        let filter = PullFilter::default();
        let page = Page::largest();
        let call = PullCall::List { filter, page };
        let Some(Reply::Pulls(list)) = self.look(&key.repo, call) else { return None };
        let mut own = list.items.iter().filter(|pull| self.is_own_branch(key, &pull.head));
        own.next().map(|pull| pull.issue.number)
    }

    fn edit_pull(&mut self, key: &IssueKey, change: impl FnOnce(&mut PullEdit)) {
        let Some(number) = self.open_pull_of(key) else { return };
        let mut edit = PullEdit::default();
        change(&mut edit);
        self.act(MAINTAINER, &key.repo, PullCall::Edit { number, edit });
    }

    pub(super) fn close_pull(&mut self, key: &IssueKey) {
        let state = Some(StateChange::Close(CloseReason::NotPlanned));
        self.edit_pull(key, |edit| edit.state = state);
    }

    pub(super) fn rebase(&mut self, key: &IssueKey) {
        self.edit_pull(key, |edit| edit.base = Some(DEFAULT_BRANCH.to_owned()));
    }

    /// A person merges what Ralph would not, but nothing that breaks the bot branch for everybody.
    pub(super) fn merge_by_a_person(&mut self, key: &IssueKey) {
        let Some(number) = self.open_pull_of(key) else { return };
        let call = PullCall::Get { number };
        let Some(Reply::Pull(view)) = self.look(&key.repo, call) else { return };
        if self.never_passes(key, view.summary.head_sha) {
            return;
        }
        let method = ralph_forge::MergeMethod::Merge;
        let order = ralph_forge::MergeOrder { method, expected_head: None, message: None };
        self.act(OWNER, &key.repo, PullCall::Merge { number, order });
    }

    /// Somebody opens a pull request from the bot branch to the default branch, before Ralph does.
    pub(super) fn open_own_rollup(&mut self, repo: &RepoName) {
        let people = [OWNER, MAINTAINER, STRANGER];
        let who = self.prng.pick(&people).copied().unwrap_or(OWNER);
        let (title, body) = ("Release".to_owned(), "By hand.".to_owned());
        let (head, base) = (BOT_BRANCH.to_owned(), DEFAULT_BRANCH.to_owned());
        self.act(who, repo, PullCall::Create(NewPull { title, body, head, base, draft: false }));
    }

    fn open_sync(&mut self, repo: &RepoName) -> Option<u64> {
        let (filter, page) = (PullFilter::default(), Page::largest());
        let call = PullCall::List { filter, page };
        let Some(Reply::Pulls(list)) = self.look(repo, call) else { return None };
        let mut syncs = list.items.iter().filter(|pull| pull.head.starts_with(SYNC_BRANCHES));
        syncs.next().map(|pull| pull.issue.number)
    }

    /// Closes the rollup, or now and then the pull request that brings the default branch's changes.
    pub(super) fn close_rollup(&mut self, repo: &RepoName) {
        let is_sync = self.prng.chance(200);
        let found = if is_sync { self.open_sync(repo) } else { self.open_rollup(repo) };
        let Some(number) = found else { return };
        let state = Some(StateChange::Close(CloseReason::NotPlanned));
        let edit = PullEdit { state, ..PullEdit::default() };
        self.act(OWNER, repo, PullCall::Edit { number, edit });
    }

    pub(crate) fn open_rollup(&mut self, repo: &RepoName) -> Option<u64> {
        let filter = PullFilter { head: Some(BOT_BRANCH.to_owned()), ..PullFilter::default() };
        let page = Page::largest();
        match self.look(repo, PullCall::List { filter, page }) {
            Some(Reply::Pulls(list)) => list.items.first().map(|pull| pull.issue.number),
            _other => None,
        }
    }
}
