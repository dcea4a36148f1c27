//! People at the branches and pull requests: they push, merge, close, and point them elsewhere.

use crate::faults::Fault;
use crate::faults::script::ISSUE_BRANCHES;
use crate::people::People;
use crate::world::{BOT_BRANCH, DEFAULT_BRANCH, MAINTAINER, OWNER, STRANGER, SimWorld};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_forge::{
    BranchCommit, CloseReason, Content, CreatePull, DeleteBranch, EditPull, Expected, GetPull,
    MergePull, NewPull, PullEdit, PushBranch, StateChange,
};
use std::collections::BTreeSet;

/// More often than Ralph brings a pull request up to date.
const STRICT_MOVES: u32 = 4;

/// Pull requests that a bot branch which wants up-to-date heads moves away from. It does so without faults as well,
/// because few are brought up to date while there are faults.
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

impl SimWorld {
    pub(super) fn move_base(&mut self, repo: &RepoName) {
        let branch = if self.prng.chance(600) { BOT_BRANCH } else { DEFAULT_BRANCH };
        let text = format!("moved {}", self.prng.below(1_000_000));
        let path = if self.prng.chance(500) { "shared.txt" } else { "docs.txt" };
        self.commit_by_hand(repo, branch, path, &text);
    }

    pub(crate) fn push_to_branch(&mut self, key: &IssueKey) {
        let Some(number) = self.forge.open_pull_of(&self.machine, key) else { return };
        let call = GetPull { number };
        let Some(view) = self.forge.look(&key.repo, call) else { return };
        let repo = key.repo.as_str();
        let text = format!("by hand {}", self.prng.below(1_000_000));
        let commit = BranchCommit {
            branch: view.summary.head,
            content: Content::written([("by-hand.txt", text.as_str())]),
            message: self.message_by_hand(key),
        };
        self.keep_for_stale_reads();
        let now = self.clock.seconds();
        let pushed = self.forge.model_mut().commit_on_branch(MAINTAINER, now, repo, commit);
        if let Ok((sha, events)) = pushed {
            self.oracle.record.by_hand.insert(sha.to_string());
            self.spread(&events);
        }
    }

    fn edit_pull(&mut self, key: &IssueKey, change: impl FnOnce(&mut PullEdit)) {
        let Some(number) = self.forge.open_pull_of(&self.machine, key) else { return };
        let mut edit = PullEdit::default();
        change(&mut edit);
        self.act(MAINTAINER, &key.repo, EditPull { number, edit });
    }

    pub(super) fn close_pull(&mut self, key: &IssueKey) {
        let state = Some(StateChange::Close(CloseReason::NotPlanned));
        self.edit_pull(key, |edit| edit.state = state);
    }

    /// Deletes the branch of a pull request, which closes it.
    pub(crate) fn delete_branch_of(&mut self, key: &IssueKey) {
        let Some(number) = self.forge.open_pull_of(&self.machine, key) else { return };
        let Some(view) = self.forge.look(&key.repo, GetPull { number }) else {
            return;
        };
        let branch = view.summary.head;
        self.act(MAINTAINER, &key.repo, DeleteBranch { branch });
    }

    pub(crate) fn draw_outdated(&mut self) {
        let has = |fault| self.faults.rate(fault) > 0;
        let moves = if has(Fault::StrictRunsAway) { STRICT_MOVES } else { 0 };
        let conflicts = u32::from(has(Fault::StrictEndsDirty));
        self.people.outdated = Outdated { moves, conflicts, ..Outdated::default() };
    }

    /// Moves a bot branch that wants up-to-date heads on under new pull requests until enough were brought up to
    /// date: that is not left to chance.
    pub(crate) fn outdate(&mut self, repo: &RepoName) {
        let Outdated { moves, conflicts, .. } = self.people.outdated;
        if moves + conflicts > 0 && self.forge.strict_protection(repo).is_some() {
            let file = format!("by-hand-{}.txt", self.prng.below(1_000_000));
            self.faults.count(Fault::PersonMovesBase);
            self.commit_by_hand(repo, BOT_BRANCH, &file, "by hand");
        }
    }

    /// Moves a bot branch that wants up-to-date heads on after a pull request was brought up to date: into a
    /// conflict with it, or, for one pull request of a run, each time.
    pub(crate) fn move_strict_branch(&mut self, repo: &RepoName, number: u64) {
        let pull = (repo.clone(), number);
        let Outdated { moves, conflicts, .. } = self.people.outdated;
        let is_due = moves + conflicts > 0 && self.people.outdated.updated.contains(&pull);
        if !is_due || self.forge.strict_protection(repo).is_none() {
            return;
        }
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return;
        };
        let issue = view.summary.head.strip_prefix(ISSUE_BRANCHES);
        let Some(issue) = issue.and_then(|rest| rest.split('-').next()) else { return };
        let text = format!("the same, by hand {}", self.prng.below(1_000_000));
        if moves > 0 && self.people.outdated.outrun.as_ref().is_none_or(|outrun| *outrun == pull) {
            (self.people.outdated.outrun, self.people.outdated.moves) = (Some(pull), moves - 1);
            let file = format!("by-hand-{}.txt", self.prng.below(1_000_000));
            self.faults.count(Fault::StrictRunsAway);
            self.commit_by_hand(repo, BOT_BRANCH, &file, &text);
        } else if conflicts > 0 && self.people.outdated.outrun.as_ref() != Some(&pull) {
            self.people.outdated.conflicts -= 1;
            let file = format!("src/thing-{issue}.txt");
            self.faults.count(Fault::StrictEndsDirty);
            self.commit_by_hand(repo, BOT_BRANCH, &file, &text);
        }
    }

    /// Says that an issue has to wait for a pull request: one of Ralph's, or one that a person opens for it.
    pub(super) fn name_a_pull(&mut self, key: &IssueKey) {
        let others: Vec<_> =
            self.people.issues.iter().filter(|other| *other != key).cloned().collect();
        let other = self.prng.pick(&others).filter(|other| other.repo == key.repo).cloned();
        let of_ralph = other.and_then(|other| self.forge.open_pull_of(&self.machine, &other));
        let named = of_ralph.or_else(|| self.open_pull_by_hand(&key.repo));
        if let Some(number) = named {
            self.write_body(key, format!("Wait.\n\n## Blocked by\n- [ ] #{number}\n"));
        }
    }

    /// A person's pull request that stays open for a while.
    fn open_pull_by_hand(&mut self, repo: &RepoName) -> Option<u64> {
        let sha = self.forge.model().branch(repo.as_str(), DEFAULT_BRANCH)?;
        let head = format!("mia/{}", self.prng.below(1_000_000));
        let expected_old = Expected::Anything;
        let push = PushBranch { branch: head.clone(), sha, expected_old, force: false };
        self.act(MAINTAINER, repo, push)?;
        let path = format!("by-mia-{}.txt", self.prng.below(1_000_000));
        self.commit_by_hand(repo, &head, &path, "by hand");
        let (title, body) = ("By hand".to_owned(), String::new());
        let (base, draft) = (DEFAULT_BRANCH.to_owned(), false);
        let new = NewPull { title, body, head, base, draft };
        match self.act(MAINTAINER, repo, CreatePull(new)) {
            Some(view) => {
                let number = view.summary.issue.number;
                self.oracle.record.pulls_by_hand.insert((repo.clone(), number));
                Some(number)
            }
            _other => None,
        }
    }

    /// After the faults people merge or close their own pull requests.
    pub(crate) fn end_pulls_by_hand(&mut self) {
        for (repo, number) in std::mem::take(&mut self.oracle.record.pulls_by_hand) {
            let is_merged = self.prng.chance(500);
            if is_merged {
                let method = ralph_forge::MergeMethod::Merge;
                let order = ralph_forge::MergeOrder { method, expected_head: None, message: None };
                self.act(OWNER, &repo, MergePull { number, order });
            } else {
                let state = Some(StateChange::Close(CloseReason::NotPlanned));
                let edit = PullEdit { state, ..PullEdit::default() };
                self.act(OWNER, &repo, EditPull { number, edit });
            }
        }
    }

    pub(super) fn rebase(&mut self, key: &IssueKey) {
        self.edit_pull(key, |edit| edit.base = Some(DEFAULT_BRANCH.to_owned()));
    }

    /// A person merges what Ralph would not, but nothing that breaks the bot branch for all.
    pub(super) fn merge_by_a_person(&mut self, key: &IssueKey) {
        let Some(number) = self.forge.open_pull_of(&self.machine, key) else { return };
        let call = GetPull { number };
        let Some(view) = self.forge.look(&key.repo, call) else { return };
        if self.forge.never_passes(key, view.summary.head_sha) {
            return;
        }
        let method = ralph_forge::MergeMethod::Merge;
        let order = ralph_forge::MergeOrder { method, expected_head: None, message: None };
        self.act(OWNER, &key.repo, MergePull { number, order });
    }

    /// A person opens a pull request from the bot branch to the default branch, before Ralph does.
    pub(super) fn open_own_rollup(&mut self, repo: &RepoName) {
        let people = [OWNER, MAINTAINER, STRANGER];
        let who = self.prng.pick(&people).copied().unwrap_or(OWNER);
        let (title, body) = ("Release".to_owned(), "By hand.".to_owned());
        let (head, base) = (BOT_BRANCH.to_owned(), DEFAULT_BRANCH.to_owned());
        self.act(who, repo, CreatePull(NewPull { title, body, head, base, draft: false }));
    }

    /// Closes the rollup, or now and then the pull request that brings the default branch's changes.
    pub(super) fn close_rollup(&mut self, repo: &RepoName) {
        let is_sync = self.prng.chance(200);
        let found = if is_sync { self.forge.open_sync(repo) } else { self.forge.open_rollup(repo) };
        let Some(number) = found else { return };
        let state = Some(StateChange::Close(CloseReason::NotPlanned));
        let edit = PullEdit { state, ..PullEdit::default() };
        self.act(OWNER, repo, EditPull { number, edit });
    }
}

impl People {
    /// Ralph asks for something: is it that a pull request is brought up to date?
    pub(crate) fn note_update(&mut self, path: &str) {
        let pull =
            path.strip_prefix("/repos/").and_then(|rest| rest.strip_suffix("/update-branch"));
        let pull = pull.and_then(|rest| rest.split_once("/pulls/"));
        let pull =
            pull.and_then(|(repo, number)| Some((RepoName::parse(repo)?, number.parse().ok()?)));
        self.outdated.updated.extend(pull);
    }
}
