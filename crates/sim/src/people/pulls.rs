//! People at the branches and pull requests: they push, merge, close, and point them elsewhere.

use crate::fate::ISSUE_BRANCHES;
use crate::syncing::SYNC_BRANCHES;
use crate::town::{BOT_BRANCH, DEFAULT_BRANCH, MAINTAINER, OWNER, STRANGER, Town};
use crate::weather::Fault;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_forge::{
    BranchCommit, CloseReason, Content, Expected, GitCall, NewPull, Page, PullCall, PullEdit,
    PullFilter, Reply, StateChange,
};
use std::collections::BTreeSet;

/// More often than Ralph brings a pull request up to date.
const STRICT_MOVES: u32 = 4;

/// Pull requests that a bot branch which wants up-to-date heads moves away from. It does so in calm times as well, because few
/// are brought up to date during a storm.
#[derive(Debug, Default)]
pub(crate) struct Outdated {
    /// The one that does not catch up, and how often the branch still moves on after an update of it.
    outrun: Option<(RepoName, u64)>,
    moves: u32,
    /// So many others come into conflict with it after an update.
    conflicts: u32,
    /// Those that Ralph has asked to bring up to date.
    updated: BTreeSet<(RepoName, u64)>,
}

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
            message: self.message_by_hand(key),
        };
        self.keep_for_stale_reads();
        let now = self.seconds();
        let pushed = self.forge_mut().commit_on_branch(MAINTAINER, now, repo, commit);
        if let Ok((sha, events)) = pushed {
            self.ledger.by_hand.insert(sha.to_string());
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

    /// Deletes the branch of a pull request, which closes it.
    pub(crate) fn delete_branch_of(&mut self, key: &IssueKey) {
        let Some(number) = self.open_pull_of(key) else { return };
        let Some(Reply::Pull(view)) = self.look(&key.repo, PullCall::Get { number }) else {
            return;
        };
        let branch = view.summary.head;
        self.act(MAINTAINER, &key.repo, GitCall::DeleteRef { branch });
    }

    pub(crate) fn draw_outdated(&mut self) {
        let has = |fault| self.weather.rate(fault) > 0;
        let moves = if has(Fault::StrictRunsAway) { STRICT_MOVES } else { 0 };
        let conflicts = u32::from(has(Fault::StrictEndsDirty));
        self.outdated = Outdated { moves, conflicts, ..Outdated::default() };
    }

    /// Where the bot branch wants up-to-date heads, it moves on under new pull requests until enough were brought up to date:
    /// it is not left to chance whether there is one.
    pub(crate) fn outdate(&mut self, repo: &RepoName) {
        let Outdated { moves, conflicts, .. } = self.outdated;
        if moves + conflicts > 0 && self.strict_protection(repo).is_some() {
            let file = format!("by-hand-{}.txt", self.prng.below(1_000_000));
            self.weather.count(Fault::PersonMovesBase);
            self.commit_by_hand(repo, BOT_BRANCH, &file, "by hand");
        }
    }

    /// Ralph asks for something: is it that a pull request is brought up to date?
    pub(crate) fn note_update(&mut self, path: &str) {
        let pull =
            path.strip_prefix("/repos/").and_then(|rest| rest.strip_suffix("/update-branch"));
        let pull = pull.and_then(|rest| rest.split_once("/pulls/"));
        let pull =
            pull.and_then(|(repo, number)| Some((RepoName::parse(repo)?, number.parse().ok()?)));
        self.outdated.updated.extend(pull);
    }

    /// Where the bot branch wants up-to-date heads, somebody moves it on after a pull request was brought up to date: into
    /// a conflict with it, or, for one pull request of a life, each time.
    pub(crate) fn move_strict_branch(&mut self, repo: &RepoName, number: u64) {
        let pull = (repo.clone(), number);
        let Outdated { moves, conflicts, .. } = self.outdated;
        let is_due = moves + conflicts > 0 && self.outdated.updated.contains(&pull);
        if !is_due || self.strict_protection(repo).is_none() {
            return;
        }
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        let issue = view.summary.head.strip_prefix(ISSUE_BRANCHES);
        let Some(issue) = issue.and_then(|rest| rest.split('-').next()) else { return };
        let text = format!("the same, by hand {}", self.prng.below(1_000_000));
        if moves > 0 && self.outdated.outrun.as_ref().is_none_or(|outrun| *outrun == pull) {
            (self.outdated.outrun, self.outdated.moves) = (Some(pull), moves - 1);
            let file = format!("by-hand-{}.txt", self.prng.below(1_000_000));
            self.weather.count(Fault::StrictRunsAway);
            self.commit_by_hand(repo, BOT_BRANCH, &file, &text);
        } else if conflicts > 0 && self.outdated.outrun.as_ref() != Some(&pull) {
            self.outdated.conflicts -= 1;
            let file = format!("src/thing-{issue}.txt");
            self.weather.count(Fault::StrictEndsDirty);
            self.commit_by_hand(repo, BOT_BRANCH, &file, &text);
        }
    }

    /// Says that an issue has to wait for a pull request: one of Ralph's, or one that a person opens for it.
    pub(super) fn name_a_pull(&mut self, key: &IssueKey) {
        let others: Vec<_> = self.issues.iter().filter(|other| *other != key).cloned().collect();
        let other = self.prng.pick(&others).filter(|other| other.repo == key.repo).cloned();
        let of_ralph = other.and_then(|other| self.open_pull_of(&other));
        let named = of_ralph.or_else(|| self.open_pull_by_hand(&key.repo));
        if let Some(number) = named {
            self.write_body(key, format!("Wait.\n\n## Blocked by\n- [ ] #{number}\n"));
        }
    }

    /// A pull request of a person's own, which nobody hurries to merge.
    fn open_pull_by_hand(&mut self, repo: &RepoName) -> Option<u64> {
        let sha = self.forge().branch(repo.as_str(), DEFAULT_BRANCH)?;
        let head = format!("mia/{}", self.prng.below(1_000_000));
        let expected_old = Expected::Anything;
        let push = GitCall::Push { branch: head.clone(), sha, expected_old, force: false };
        self.act(MAINTAINER, repo, push)?;
        let path = format!("by-mia-{}.txt", self.prng.below(1_000_000));
        self.commit_by_hand(repo, &head, &path, "by hand");
        let (title, body) = ("By hand".to_owned(), String::new());
        let (base, draft) = (DEFAULT_BRANCH.to_owned(), false);
        let new = NewPull { title, body, head, base, draft };
        match self.act(MAINTAINER, repo, PullCall::Create(new)) {
            Some(Reply::Pull(view)) => {
                let number = view.summary.issue.number;
                self.ledger.pulls_by_hand.insert((repo.clone(), number));
                Some(number)
            }
            _other => None,
        }
    }

    /// On a fine day people bring their own pull requests to an end, in one way or the other.
    pub(crate) fn end_pulls_by_hand(&mut self) {
        for (repo, number) in std::mem::take(&mut self.ledger.pulls_by_hand) {
            let is_merged = self.prng.chance(500);
            let call = if is_merged {
                let method = ralph_forge::MergeMethod::Merge;
                let order = ralph_forge::MergeOrder { method, expected_head: None, message: None };
                PullCall::Merge { number, order }
            } else {
                let state = Some(StateChange::Close(CloseReason::NotPlanned));
                PullCall::Edit { number, edit: PullEdit { state, ..PullEdit::default() } }
            };
            self.act(OWNER, &repo, call);
        }
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
