//! The promises of the contract, checked against what really happens: at every write, every start and every
//! step. Each has a planted bug that proves it bites.

mod steps;

use crate::sim_forge::whole_page;
use crate::town::{BOT, BOT_BRANCH, DEFAULT_BRANCH, REPO, Town};
use ralph_core::gate::Gate;
use ralph_core::hidden_marker;
use ralph_core::label;
use ralph_forge::{
    BranchCall, Call, CheckCall, CheckState, CommentCall, Conclusion, EventKind, IssueCall,
    IssueState, LabelCall, PullCall, Reply, Response, ThreadAction,
};
use std::collections::BTreeSet;

/// Every promise that is checked, with what it says.
pub const RULES: [(&str, &str); 25] = [
    ("I1", "only labels of the managed namespace are touched"),
    ("I2", "exactly one status label once reconciled"),
    ("I3", "intent comes only from people who may command"),
    ("I4", "dependency-blocked is never a label"),
    ("I5", "scheduling never waits for a label write"),
    ("I6", "task pull requests target the bot branch"),
    ("I7", "work happens in the run's own worktree below the managed root"),
    ("I8", "one live owner; a stale one is refused"),
    ("I9", "every side effect is seen once"),
    ("I10", "a marker's comment exists once per issue"),
    ("I11", "done and merged only on evidence"),
    ("I12", "retries are bounded and counters never go back"),
    ("I13", "a stopped or paused issue starts no step"),
    ("I14", "only what is managed and done is deleted"),
    ("C1", "a command label goes after the status it asks for is in place"),
    ("E1", "every plan passes the plan checker"),
    ("E2", "a turn comes to rest"),
    ("E3", "slots and workers are never exceeded"),
    ("E4", "deciding what changed equals deciding everything"),
    ("E5", "memory equals the stored rows"),
    ("E6", "the rows equal a fresh fold of the journal"),
    ("E7", "a result of an older attempt changes nothing"),
    ("L1", "once the weather clears nothing is left to be done"),
    ("L2", "every issue ends well, or says why not"),
    ("L3", "no process is left over"),
];

impl Town {
    /// After a write of Ralph's: what did it really change?
    pub(crate) fn judge_write(
        &mut self,
        call: &Call,
        response: &Response,
        events: &[ralph_forge::Event],
    ) {
        if response.is_err() {
            return;
        }
        for event in events.iter().filter(|event| event.actor == BOT) {
            self.judge_event(&event.kind);
        }
        match call {
            Call::Comment(CommentCall::Create { number, .. }) => {
                self.count_change();
                self.judge_comments(*number);
            }
            Call::Pull(PullCall::Create(new)) => {
                self.count_change();
                self.judge_new_pull(&new.head, &new.base);
            }
            Call::Pull(PullCall::Merge { number, .. }) => {
                self.count_change();
                self.judge_merge(*number);
            }
            Call::Label(LabelCall::Remove { number, name }) => self.judge_cleared(*number, name),
            Call::Issue(IssueCall::Edit { number, edit }) if edit.state.is_some() => {
                self.judge_close(*number);
            }
            _other => {}
        }
    }

    fn judge_event(&mut self, kind: &EventKind) {
        let name = match kind {
            EventKind::Issue {
                action: ThreadAction::Labeled { label } | ThreadAction::Unlabeled { label },
                ..
            } => label,
            EventKind::Label { name, .. } => name,
            _other => return,
        };
        if !label::is_managed(name) {
            self.broken("I1", format!("Ralph touched the label {name:?}"));
        }
        let is_set = matches!(kind, EventKind::Issue { action: ThreadAction::Labeled { .. }, .. });
        if is_set && name.contains("block") {
            self.broken("I4", format!("Ralph set {name:?}"));
        }
    }

    /// One key, one change.
    fn count_change(&mut self) {
        let Some(key) = self.performing.clone() else { return };
        let changes = self.ledger.changes.entry(key.clone()).or_insert(0);
        *changes += 1;
        if *changes > 1 {
            self.broken("I9", format!("{key} took place twice"));
        }
    }

    fn judge_comments(&mut self, number: u64) {
        let list = self.look(CommentCall::List { number, since: None, page: whole_page() });
        let Some(Reply::Comments(list)) = list else { return };
        let mut seen = BTreeSet::new();
        for view in list.items.iter().filter(|view| view.comment.author == BOT) {
            match hidden_marker::find(&view.comment.body) {
                None => self.broken("I10", format!("a comment on #{number} has no marker")),
                Some(marker) => {
                    if !seen.insert(marker.render()) {
                        let marker = marker.render();
                        self.broken("I10", format!("two comments on #{number} carry {marker}"));
                    }
                }
            }
        }
    }

    fn judge_new_pull(&mut self, head: &str, base: &str) {
        let is_task = head.starts_with("ralph/") && base == BOT_BRANCH;
        let is_rollup = head == BOT_BRANCH && base == DEFAULT_BRANCH;
        if !is_task && !is_rollup {
            self.broken("I6", format!("a pull request from {head} to {base}"));
        }
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::All,
            head: Some(head.to_owned()),
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(PullCall::List { filter, page: whole_page() });
        let Some(Reply::Pulls(list)) = list else { return };
        if is_task && list.items.len() > 1 {
            self.broken("I9", format!("{} pull requests from {head}", list.items.len()));
        }
    }

    /// A merge to the bot branch: did every gate really let exactly this head through?
    fn judge_merge(&mut self, number: u64) {
        let Some(Reply::Pull(view)) = self.look(PullCall::Get { number }) else { return };
        let head = view.summary.head_sha;
        let Some(commit) = self.forge.find_commit(REPO, head) else { return };
        let tree = commit.tree.to_string();
        if !self.ledger.passed.contains(&(Gate::Preflight, tree)) {
            self.broken("I11", format!("#{number} was merged at {head} without preflight"));
        }
        for gate in [Gate::PlanReview, Gate::ProductReview, Gate::DevexReview] {
            if !self.ledger.passed.iter().any(|(passed, _)| *passed == gate) {
                self.broken("I11", format!("#{number} was merged without {gate}"));
            }
        }
        for name in self.required_checks() {
            if !self.is_green(head, &name) {
                self.broken("I11", format!("#{number} was merged while {name} was not green"));
            }
        }
    }

    /// What the operator requires, or else what the bot branch does.
    fn required_checks(&mut self) -> Vec<String> {
        if let Some(names) = self.required.clone() {
            return names;
        }
        match self.look(BranchCall::Get { branch: BOT_BRANCH.to_owned() }) {
            Some(Reply::Branch(view)) => {
                view.required_checks.into_iter().flat_map(|checks| checks.contexts).collect()
            }
            _other => Vec::new(),
        }
    }

    fn is_green(&mut self, head: ralph_forge::Sha, name: &str) -> bool {
        let (reference, page) = (head.to_string(), whole_page());
        let runs = CheckCall::ListRuns { reference, name: Some(name.to_owned()), all: false, page };
        let Some(Reply::CheckRuns(runs)) = self.look(runs) else { return false };
        runs.items.iter().any(|run| {
            let green = [Conclusion::Success, Conclusion::Neutral, Conclusion::Skipped];
            green.iter().any(|conclusion| run.state == CheckState::Completed(*conclusion))
        })
    }

    fn judge_cleared(&mut self, number: u64, name: &str) {
        if !name.starts_with("ralph:cmd:queue") {
            return;
        }
        let Some(Reply::Issue(view)) = self.look(IssueCall::Get { number }) else { return };
        let shows_status = view.labels.iter().any(|label| label.name.starts_with("ralph:status:"));
        let list = self.look(CommentCall::List { number, since: None, page: whole_page() });
        let is_answered = match list {
            Some(Reply::Comments(list)) => {
                list.items.iter().any(|view| view.comment.body.contains("refused"))
            }
            _other => false,
        };
        // Whoever takes the queued label away wants no status.
        let is_withdrawn = self.ledger.given_up.contains(&self.key(number));
        let is_open = matches!(view.state, IssueState::Open { .. });
        if !shows_status && !is_answered && !is_withdrawn && is_open {
            self.broken(
                "C1",
                format!("{name} was removed from #{number} before its status was set"),
            );
        }
    }

    /// Closing is the end: the change must be on the default branch.
    fn judge_close(&mut self, number: u64) {
        let prefix = format!("ralph/issue-{number}-");
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::All,
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(PullCall::List { filter, page: whole_page() });
        let Some(Reply::Pulls(list)) = list else { return };
        let own = list.items.iter().find(|pull| pull.head.starts_with(&prefix));
        let merged = own.and_then(|pull| pull.merged.as_ref()).map(|merged| merged.commit);
        let is_there = merged.is_some_and(|commit| self.has_reached_default(commit));
        if !is_there {
            self.broken("I11", format!("#{number} was closed without evidence"));
        }
    }

    /// Is this merge on the default branch, itself or inside a squashed rollup?
    pub(crate) fn has_reached_default(&mut self, commit: ralph_forge::Sha) -> bool {
        let Some(main) = self.forge.branch(REPO, DEFAULT_BRANCH) else { return false };
        if self.forge.is_ancestor(REPO, commit, main) {
            return true;
        }
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::Closed,
            head: Some(BOT_BRANCH.to_owned()),
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(PullCall::List { filter, page: whole_page() });
        let Some(Reply::Pulls(list)) = list else { return false };
        let contains = |pull: &ralph_forge::PullSummary| {
            pull.merged.is_some() && self.forge.is_ancestor(REPO, commit, pull.head_sha)
        };
        list.items.iter().any(contains)
    }
}
