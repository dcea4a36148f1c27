//! The promises of the contract, checked against what really happens: at every write, every start and every
//! step. Each has a planted bug that proves it bites.

mod answers;
mod commands;
mod gates;
mod handing_on;
mod labels;
mod lanes;
mod merges;
mod outside;
mod steps;
mod waits;

pub(crate) use lanes::BOUNDS;

use crate::syncing::SYNC_BRANCHES;
use crate::town::{BOT_BRANCH, DEFAULT_BRANCH, Town};
use crate::trials::TRIAL_BRANCHES;
use ralph_core::gate::Gate;
use ralph_core::hidden_marker::{self, MarkerKind};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_forge::{
    BranchCall, CheckAction, CheckCall, CheckState, CommentAction, CommentCall, Conclusion,
    EventKind, IssueState, Page, PullCall, PullSummary, Reply, ThreadAction,
};
use std::collections::BTreeSet;

/// Every promise that is checked, with what it says.
pub const RULES: [(&str, &str); 49] = [
    ("I1", "only labels of the managed namespace are touched"),
    ("I2", "exactly one status label once reconciled"),
    ("I3", "intent comes only from people who may command"),
    ("I4", "dependency-blocked is never a label"),
    ("I5", "scheduling never waits for a label write"),
    ("I6", "task and sync pull requests target the bot branch"),
    ("I7", "work happens in the run's own worktree below the managed root"),
    ("I8", "one live owner; a stale one is refused"),
    ("I9", "every side effect is seen once"),
    ("I10", "a marker's comment exists once per issue"),
    ("I11", "done and merged only on evidence"),
    ("I12", "retries are bounded and counters never go back"),
    ("I13", "a stopped or paused issue starts no step"),
    ("I14", "only what is managed is deleted, and only done or rescued"),
    ("C1", "a command label goes after the status it asks for is in place"),
    ("C2", "what Ralph takes for its own comment was written by Ralph"),
    (
        "C3",
        "every command is answered rightly, once and in order, and at the end its effect is there",
    ),
    ("C4", "a fresh start leaves the branch that was worked on"),
    ("E1", "every plan passes the plan checker"),
    ("E2", "a turn comes to rest"),
    ("E3", "slots and workers are never exceeded"),
    ("E4", "deciding what changed equals deciding everything"),
    ("E5", "memory equals the stored rows"),
    ("E6", "the rows equal a fresh fold of the journal"),
    ("E7", "a result of an older attempt changes nothing"),
    ("E8", "while Ralph drains nothing new is started"),
    ("F1", "the findings of a review reach those who act on them"),
    ("G1", "nothing that a change must not contain reaches the forge"),
    ("G2", "what a gate has let through it does not judge again"),
    ("G5", "what is merged was tested with what it is merged into"),
    ("G6", "what was tried together gives the trees that were tried, or the rest is not merged"),
    (
        "G7",
        "no change is sent back for what a trial says: its own checks are red, or have not reported",
    ),
    ("H1", "an answer of the forge is taken for what it means"),
    ("H2", "Ralph is shown the forge as it is, or as it was a minute ago"),
    ("T1", "a check that chance made red is run again once, before any lane"),
    ("Q1", "a failure that is run once more is told in one issue, which nobody works on unasked"),
    (
        "P1",
        "what a survey proposes becomes one issue, small fixes are worked on, and none is surveyed again",
    ),
    ("W1", "nothing waits in silence: a wait ends by the time that it names, or is for a person"),
    (
        "D1",
        "no words of an agent close an issue or keep checks from running, and what a commit of Ralph's closes goes on",
    ),
    ("W2", "every refused read is shown as soon as it was refused"),
    ("N1", "nothing is done to what is not configured, and nothing is kept of what does not exist"),
    ("R1", "the same change is not asked for over and over with nothing different seen in between"),
    ("B1", "no issue is blamed for a program that fails for all, and one turn at a time is tried"),
    ("B2", "an issue that the agents' program fails on alone is for a person"),
    ("M1", "a second Ralph on the same repositories starts and writes nothing"),
    ("L1", "once the weather clears nothing is left to be done"),
    ("L2", "every issue ends well, or says why not"),
    ("L3", "no process, no worktree, no merged sync branch and no trial is left over"),
    ("L4", "the bot branch has what the default branch has"),
];

impl Town {
    /// After a write of Ralph's: what did it really change?
    pub(crate) fn judge_write(&mut self, events: &[ralph_forge::Event]) {
        let login = self.login;
        for event in events.iter().filter(|event| event.actor == login) {
            let Some(repo) = RepoName::parse(&event.repo) else { continue };
            self.judge_label_event(&repo, &event.kind);
            match &event.kind {
                EventKind::Comment { number, comment, action: CommentAction::Created, .. } => {
                    self.count_change();
                    self.judge_comments(&IssueKey::new(repo, *number), *comment);
                }
                EventKind::Pull { number, action: ThreadAction::Opened } => {
                    self.count_change();
                    self.judge_new_pull(&repo, *number);
                }
                EventKind::PullMerged { number, .. } => {
                    self.count_change();
                    self.judge_merge(&repo, *number);
                }
                EventKind::Issue { number, action: ThreadAction::Unlabeled { label } } => {
                    self.judge_cleared(&IssueKey::new(repo, *number), label);
                }
                EventKind::Issue { number, action: ThreadAction::Closed } => {
                    self.count_change();
                    self.judge_close(&IssueKey::new(repo, *number));
                }
                EventKind::Issue { number, action: ThreadAction::Opened } => {
                    self.count_change();
                    self.judge_new_issue(&IssueKey::new(repo, *number));
                }
                EventKind::CheckRun { id, head, name, action: CheckAction::Rerequested } => {
                    self.count_change();
                    self.note_quarantine(&repo, *id);
                    self.judge_rerun(&repo, head.to_string(), name);
                }
                _other => {}
            }
        }
    }

    /// One key, one change.
    fn count_change(&mut self) {
        let Some(key) = self.errand.effect.clone() else { return };
        // What was undone since is another change when it comes again.
        if let Some((issue, label)) = key.split_once(":label") {
            let sign = if label.starts_with('+') { '-' } else { '+' };
            let undone = format!("{issue}:label{sign}{}", label.get(1..).unwrap_or_default());
            self.ledger.changes.remove(&undone);
        }
        let changes = self.ledger.changes.entry(key.clone()).or_insert(0);
        *changes += 1;
        if *changes > 1 {
            self.broken("I9", format!("{key} took place twice"));
        }
    }

    /// The new comment is marked, and no other of ours has its marker. The owner, whose login Ralph may have,
    /// writes comments too.
    fn judge_comments(&mut self, key: &IssueKey, new: u64) {
        let (number, page) = (key.number, Page::largest());
        let list = self.look(&key.repo, CommentCall::List { number, since: None, page });
        let Some(Reply::Comments(list)) = list else { return };
        let mut seen = BTreeSet::new();
        let login = self.login;
        for view in list.items.iter().filter(|view| view.comment.author == login) {
            match hidden_marker::find(&view.comment.body) {
                None if view.comment.id != new => {}
                None => self.broken("I10", format!("a comment on {key} has no marker")),
                Some(marker) => {
                    if marker.kind == MarkerKind::Verify {
                        self.ledger.told_verified.insert(key.clone());
                    }
                    if !seen.insert(marker.render()) {
                        let marker = marker.render();
                        self.broken("I10", format!("two comments on {key} carry {marker}"));
                    }
                }
            }
        }
    }

    fn judge_new_pull(&mut self, repo: &RepoName, number: u64) {
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        let (head, base) = (view.summary.head.as_str(), view.summary.base.as_str());
        let is_sync = head.starts_with(SYNC_BRANCHES) && base == BOT_BRANCH;
        let is_task = head.starts_with("ralph/issue-") && base == BOT_BRANCH;
        let is_rollup = head == BOT_BRANCH && base == DEFAULT_BRANCH;
        let is_trial = head.starts_with(TRIAL_BRANCHES) && base == BOT_BRANCH && view.summary.draft;
        if is_trial {
            self.note_trial(repo, &view);
        }
        if !is_task && !is_rollup && !is_sync && !is_trial {
            self.broken("I6", format!("a pull request from {head} to {base}"));
        }
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::All,
            head: Some(head.to_owned()),
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(repo, PullCall::List { filter, page: Page::largest() });
        let Some(Reply::Pulls(list)) = list else { return };
        // One that people closed gets a successor.
        let is_closed = |pull: &&PullSummary| {
            pull.merged.is_none() && !matches!(pull.issue.state, IssueState::Open { .. })
        };
        if !is_rollup && list.items.iter().filter(|pull| !is_closed(pull)).count() > 1 {
            self.broken("I9", format!("{} pull requests from {head}", list.items.len()));
        }
    }

    /// A merge to the bot branch: did every gate really let exactly this head through?
    fn judge_merge(&mut self, repo: &RepoName, number: u64) {
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        let head = view.summary.head_sha;
        for name in self.required_checks(repo) {
            if !self.is_green(repo, head, &name) {
                self.broken("I11", format!("#{number} was merged while {name} was not green"));
            }
        }
        if self.is_plain_sync(repo, &view.summary.head, head) {
            return;
        }
        if self.has_conflicts(repo, head) {
            self.broken("I11", format!("{repo}#{number} was merged with conflicts in it"));
        }
        // What brings the default branch's changes is merged under its checks, whatever came meanwhile.
        if !view.summary.head.starts_with(SYNC_BRANCHES) {
            self.judge_base(repo, &view);
        }
        let Some(commit) = self.forge().find_commit(repo.as_str(), head) else { return };
        let tree = commit.tree.to_string();
        if !self.ledger.passed.contains(&(Gate::Preflight, tree)) {
            self.broken("I11", format!("{repo}#{number} was merged at {head} without preflight"));
        }
        let is_broken = self
            .files_at(repo, head)
            .any(|(path, text)| path.starts_with("src/") && text.contains("broken build"));
        if is_broken {
            self.broken(
                "I11",
                format!("{repo}#{number} was merged with tests that it had weakened"),
            );
        }
        let diff = self.merged_diff(repo, &view).unwrap_or_default();
        for gate in [Gate::ProductReview, Gate::DevexReview] {
            if !self.ledger.passed.contains(&(gate, diff.clone())) {
                self.broken("I11", format!("#{number} was merged without {gate} of its diff"));
            }
        }
        self.judge_plan_of(repo, &view.summary.head);
    }

    /// Was a plan that was implemented for this branch's issue let through?
    fn judge_plan_of(&mut self, repo: &RepoName, branch: &str) {
        let number = branch.strip_prefix("ralph/issue-").and_then(|rest| rest.split('-').next());
        let Some(number) = number.and_then(|digits| digits.parse::<u64>().ok()) else { return };
        let is_let_through = self.ledger.implemented.iter().any(|(issue, plan)| {
            issue.repo == *repo
                && issue.number == number
                && self.ledger.passed.contains(&(Gate::PlanReview, plan.clone()))
        });
        if !is_let_through {
            self.broken("I11", format!("{branch} was merged without a reviewed plan"));
        }
    }

    /// What the operator requires, or else what the bot branch does.
    pub(crate) fn required_checks(&mut self, repo: &RepoName) -> Vec<String> {
        if let Some(names) = self.required.clone() {
            return names;
        }
        match self.look(repo, BranchCall::Get { branch: BOT_BRANCH.to_owned() }) {
            Some(Reply::Branch(view)) => {
                view.required_checks.into_iter().flat_map(|checks| checks.contexts).collect()
            }
            _other => Vec::new(),
        }
    }

    pub(crate) fn is_green(&mut self, repo: &RepoName, head: ralph_forge::Sha, name: &str) -> bool {
        let (reference, page) = (head.to_string(), Page::largest());
        let runs = CheckCall::ListRuns { reference, name: Some(name.to_owned()), all: false, page };
        let Some(Reply::CheckRuns(runs)) = self.look(repo, runs) else { return false };
        runs.items.iter().any(|run| {
            let green = [Conclusion::Success, Conclusion::Neutral, Conclusion::Skipped];
            green.iter().any(|conclusion| run.state == CheckState::Completed(*conclusion))
        })
    }

    /// Closing is the end: the change must be on the default branch, or a comment must say why there is none.
    fn judge_close(&mut self, key: &IssueKey) {
        let repo = &key.repo;
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::All,
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(repo, PullCall::List { filter, page: Page::largest() });
        let Some(Reply::Pulls(list)) = list else { return };
        let own = list.items.iter().find(|pull| self.is_own_branch(key, &pull.head));
        let merged = own.and_then(|pull| pull.merged.as_ref()).map(|merged| merged.commit);
        let merged = merged.or_else(|| self.squashed_with_its_trial(repo, own?.head_sha));
        let is_there = merged.is_some_and(|commit| self.has_reached_default(repo, commit))
            || (own.is_none() && self.is_verified(key));
        if !is_there {
            self.broken("I11", format!("{key} was closed without evidence"));
        }
    }

    /// Is this merge on the default branch, itself or inside a squashed rollup?
    pub(crate) fn has_reached_default(
        &mut self,
        repo: &RepoName,
        commit: ralph_forge::Sha,
    ) -> bool {
        let name = repo.as_str();
        let Some(main) = self.forge().branch(name, DEFAULT_BRANCH) else { return false };
        if self.forge().is_ancestor(name, commit, main) {
            return true;
        }
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::Closed,
            head: Some(BOT_BRANCH.to_owned()),
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(repo, PullCall::List { filter, page: Page::largest() });
        let Some(Reply::Pulls(list)) = list else { return false };
        let contains = |pull: &PullSummary| {
            pull.merged.is_some() && self.forge().is_ancestor(name, commit, pull.head_sha)
        };
        list.items.iter().any(contains)
    }
}
