//! The promises of the contract, checked against what really happens: at every write, every start and every
//! step. Each has a planted bug that proves it bites.

mod answers;
mod closings;
mod commands;
pub(crate) mod consistency;
mod following_up;
mod gates;
mod handing_on;
mod labels;
mod lanes;
pub(crate) mod liveness;
mod merges;
mod outside;
pub(crate) mod program;
pub(crate) mod record;
pub(crate) mod steering;
pub(crate) mod steps;
mod surveys;
pub(crate) mod trials;
mod waits;

pub(crate) use lanes::BOUNDS;

use self::consistency::Rows;
use self::record::{Record, Violation};
use crate::clock::SimClock;
use crate::forge::ForgeSide;
use crate::machine::Machine;
use crate::oracle::trials::TRIAL_BRANCHES;
use crate::people::syncing::SYNC_BRANCHES;
use crate::trace::Trace;
use crate::world::{BOT_BRANCH, DEFAULT_BRANCH, SimWorld};
use ralph_core::gate::Gate;
use ralph_core::hidden_marker::{self, MarkerKind};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::world::World;
use ralph_engine::store::JournalEntry;
use ralph_forge::{
    CheckAction, CommentAction, EventKind, GetPull, IssueState, ListComments, ListPulls, Page,
    PullSummary, ThreadAction,
};
use std::collections::BTreeSet;

/// Every promise that is checked, with what it says.
pub const RULES: [(&str, &str); 54] = [
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
    (
        "Q1",
        "a failure that is run again is described in one issue, which Ralph does not work on unasked",
    ),
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
    ("B3", "no turn is started while its account is known to be limited"),
    ("S1", "a person's message is in the next turn that does the work, until one has taken it in"),
    ("S2", "no message is in two turns that ended with an answer"),
    ("S3", "no message reaches a reviewer, or the agents of another issue"),
    ("S4", "comments of people without write access reach no agent"),
    ("M1", "a second Ralph on the same repositories starts and writes nothing"),
    ("L1", "once the faults have ended nothing is left to be done"),
    ("L2", "every issue ends well, or says why not"),
    ("L3", "no process, no worktree, no merged sync branch and no trial is left over"),
    ("L4", "the bot branch has what the default branch has"),
];

/// Judges the program under test by the record of what really happened.
#[derive(Debug)]
pub(crate) struct Oracle {
    pub(crate) clock: SimClock,
    pub(crate) trace: Trace,
    pub(crate) record: Record,
    pub(crate) violations: Vec<Violation>,
    /// The stored state rows as last read.
    pub(crate) rows: Rows,
    /// The journal as read so far, and the world folded from it. Ralph itself may forget old facts.
    pub(crate) facts: Vec<JournalEntry>,
    pub(crate) folded: World,
}

impl Oracle {
    pub(crate) fn new(clock: SimClock, trace: Trace) -> Self {
        Self {
            clock,
            trace,
            record: Record::default(),
            violations: Vec::new(),
            rows: Rows::default(),
            facts: Vec::new(),
            folded: World::default(),
        }
    }

    /// One key, one change.
    fn count_change(&mut self, machine: &Machine) {
        let Some(key) = machine.task.effect.clone() else { return };
        // What was undone since is another change when it comes again.
        if let Some((issue, label)) = key.split_once(":label") {
            let sign = if label.starts_with('+') { '-' } else { '+' };
            let undone = format!("{issue}:label{sign}{}", label.get(1..).unwrap_or_default());
            self.record.changes.remove(&undone);
        }
        let changes = self.record.changes.entry(key.clone()).or_insert(0);
        *changes += 1;
        if *changes > 1 {
            self.broken("I9", format!("{key} took place twice"));
        }
    }

    /// The new comment is marked, and no other comment of Ralph has its marker. The owner, whose login Ralph may
    /// have, writes comments too.
    fn judge_comments(&mut self, forge: &mut ForgeSide, key: &IssueKey, new: u64) {
        let (number, page) = (key.number, Page::largest());
        let list = forge.look(&key.repo, ListComments { number, since: None, page });
        let Some(list) = list else { return };
        let mut seen = BTreeSet::new();
        let login = forge.login;
        for view in list.items.iter().filter(|view| view.comment.author == login) {
            match hidden_marker::find(&view.comment.body) {
                None if view.comment.id != new => {}
                None => self.broken("I10", format!("a comment on {key} has no marker")),
                Some(marker) => {
                    if marker.kind == MarkerKind::Verify {
                        self.record.told_verified.insert(key.clone());
                    }
                    if !seen.insert(marker.render()) {
                        let marker = marker.render();
                        self.broken("I10", format!("two comments on {key} carry {marker}"));
                    }
                }
            }
        }
    }

    /// A merge to the bot branch: did every gate really let exactly this head through?
    fn judge_merge(&mut self, forge: &mut ForgeSide, repo: &RepoName, number: u64) {
        let Some(view) = forge.look(repo, GetPull { number }) else { return };
        let head = view.summary.head_sha;
        for name in forge.required_checks(repo) {
            if !forge.is_green(repo, head, &name) {
                self.broken("I11", format!("#{number} was merged while {name} was not green"));
            }
        }
        if forge.is_plain_sync(repo, &view.summary.head, head) {
            return;
        }
        if forge.has_conflicts(repo, head) {
            self.broken("I11", format!("{repo}#{number} was merged with conflicts in it"));
        }
        // What brings the default branch's changes is merged under its checks, whatever came meanwhile.
        if !view.summary.head.starts_with(SYNC_BRANCHES) {
            self.judge_base(forge, repo, &view);
        }
        let Some(commit) = forge.model().find_commit(repo.as_str(), head) else { return };
        let tree = commit.tree.to_string();
        if !self.record.passed.contains(&(Gate::Preflight, tree)) {
            self.broken("I11", format!("{repo}#{number} was merged at {head} without preflight"));
        }
        let is_broken = forge
            .files_at(repo, head)
            .any(|(path, text)| path.starts_with("src/") && text.contains("broken build"));
        if is_broken {
            self.broken(
                "I11",
                format!("{repo}#{number} was merged with tests that it had weakened"),
            );
        }
        let diff = forge.merged_diff(repo, &view).unwrap_or_default();
        for gate in Gate::of_the_change() {
            if !self.record.passed.contains(&(gate, diff.clone())) {
                self.broken("I11", format!("#{number} was merged without {gate} of its diff"));
            }
        }
        self.judge_plan_of(repo, &view.summary.head);
        self.judge_issue_of(forge, repo, &view);
    }

    /// Was a plan that was implemented for this branch's issue let through?
    fn judge_plan_of(&mut self, repo: &RepoName, branch: &str) {
        let number = branch.strip_prefix("ralph/issue-").and_then(|rest| rest.split('-').next());
        let Some(number) = number.and_then(|digits| digits.parse::<u64>().ok()) else { return };
        let is_let_through = self.record.implemented.iter().any(|(issue, plan)| {
            issue.repo == *repo
                && issue.number == number
                && self.record.passed.contains(&(Gate::PlanReview, plan.clone()))
        });
        if !is_let_through {
            self.broken("I11", format!("{branch} was merged without a reviewed plan"));
        }
    }

    /// Closing is the end: the change must be on the default branch, or a comment must say why there is none.
    pub(crate) fn judge_close(&mut self, forge: &mut ForgeSide, machine: &Machine, key: &IssueKey) {
        let repo = &key.repo;
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::All,
            ..ralph_forge::PullFilter::default()
        };
        let list = forge.look(repo, ListPulls { filter, page: Page::largest() });
        let Some(list) = list else { return };
        let own = list.items.iter().find(|pull| machine.is_own_branch(key, &pull.head));
        let merged = own.and_then(|pull| pull.merged.as_ref()).map(|merged| merged.commit);
        let merged = merged.or_else(|| self.squashed_with_its_trial(repo, own?.head_sha));
        let is_there = merged.is_some_and(|commit| forge.has_reached_default(repo, commit))
            || (own.is_none() && self.is_verified(key));
        if !is_there {
            self.broken("I11", format!("{key} was closed without evidence"));
        }
    }

    pub(crate) fn broken(&mut self, rule: &'static str, detail: String) {
        self.trace.say(&format!("VIOLATION {rule}: {detail}"));
        self.violations.push(Violation { rule, detail });
    }

    /// Did an agent find that nothing is left, and has a comment of Ralph's on the issue said so?
    pub(crate) fn is_verified(&self, key: &IssueKey) -> bool {
        self.record.verified.contains(key) && self.record.told_verified.contains(key)
    }

    /// Forgets the comments on an issue: Ralph writes a comment again if it was deleted, or if its marker was taken
    /// out before Ralph knew it.
    pub(crate) fn forget_comments_on(&mut self, key: &IssueKey) {
        let prefix = format!("{key}:comment:");
        self.record.changes.retain(|key, _| !key.starts_with(&prefix));
    }
}

impl SimWorld {
    /// After a write of Ralph's: what did it really change?
    pub(crate) fn judge_write(&mut self, events: &[ralph_forge::Event]) {
        let login = self.forge.login;
        for event in events.iter().filter(|event| event.actor == login) {
            let Some(repo) = RepoName::parse(&event.repo) else { continue };
            self.oracle.judge_label_event(&mut self.forge, &self.machine, &repo, &event.kind);
            match &event.kind {
                EventKind::Comment { number, comment, action: CommentAction::Created, .. } => {
                    self.oracle.count_change(&self.machine);
                    self.oracle.judge_comments(
                        &mut self.forge,
                        &IssueKey::new(repo, *number),
                        *comment,
                    );
                }
                EventKind::Pull { number, action: ThreadAction::Opened } => {
                    self.oracle.count_change(&self.machine);
                    self.judge_new_pull(&repo, *number);
                }
                EventKind::PullMerged { number, .. } => {
                    self.oracle.count_change(&self.machine);
                    self.oracle.judge_merge(&mut self.forge, &repo, *number);
                }
                EventKind::Issue { number, action: ThreadAction::Unlabeled { label } } => {
                    self.oracle.judge_cleared(
                        &mut self.forge,
                        &self.machine,
                        &IssueKey::new(repo, *number),
                        label,
                    );
                }
                EventKind::Issue { number, action: ThreadAction::Closed } => {
                    self.oracle.count_change(&self.machine);
                    self.oracle.judge_close(
                        &mut self.forge,
                        &self.machine,
                        &IssueKey::new(repo, *number),
                    );
                }
                EventKind::Issue { number, action: ThreadAction::Opened } => {
                    self.oracle.count_change(&self.machine);
                    self.oracle.judge_new_issue(&mut self.forge, &IssueKey::new(repo, *number));
                }
                EventKind::CheckRun { id, head, name, action: CheckAction::Rerequested } => {
                    self.oracle.count_change(&self.machine);
                    self.oracle.note_quarantine(&mut self.forge, &repo, *id);
                    self.oracle.judge_rerun(&repo, head.to_string(), name);
                }
                _other => {}
            }
        }
    }

    fn judge_new_pull(&mut self, repo: &RepoName, number: u64) {
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return;
        };
        let (head, base) = (view.summary.head.as_str(), view.summary.base.as_str());
        let is_sync = head.starts_with(SYNC_BRANCHES) && base == BOT_BRANCH;
        let is_task = head.starts_with("ralph/issue-") && base == BOT_BRANCH;
        let is_rollup = head == BOT_BRANCH && base == DEFAULT_BRANCH;
        let is_trial = head.starts_with(TRIAL_BRANCHES) && base == BOT_BRANCH && view.summary.draft;
        if is_trial {
            self.note_trial(repo, &view);
        }
        if !is_task && !is_rollup && !is_sync && !is_trial {
            self.oracle.broken("I6", format!("a pull request from {head} to {base}"));
        }
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::All,
            head: Some(head.to_owned()),
            ..ralph_forge::PullFilter::default()
        };
        let list = self.forge.look(repo, ListPulls { filter, page: Page::largest() });
        let Some(list) = list else { return };
        // One that people closed gets a successor.
        let is_closed = |pull: &&PullSummary| {
            pull.merged.is_none() && !matches!(pull.issue.state, IssueState::Open { .. })
        };
        if !is_rollup && list.items.iter().filter(|pull| !is_closed(pull)).count() > 1 {
            self.oracle.broken("I9", format!("{} pull requests from {head}", list.items.len()));
        }
    }
}
