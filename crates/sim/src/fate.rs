//! What every life has whatever its weather: an agent that cheats, a pull request whose checks are red until a lane
//! repairs it, one that comes into conflict with the bot branch, several that are tried together, and a parent whose
//! child is done.

use crate::gathering::ENOUGH;
use crate::life::Life;
use crate::people::IN_EVERY_LIFE;
use crate::town::{BOT_BRANCH, OWNER, Town};
use crate::weather::Fault;
use ralph_core::ids::RepoName;
use ralph_core::lane::Lane;
use ralph_core::time::{Span, Time};
use ralph_forge::{BranchCommit, Content, IssueState, PullCall, RelationCall, Reply, Sha};
use std::collections::BTreeMap;

/// How an agent may cheat; every life has one of them at least.
const CHEATS: [Fault; 4] =
    [Fault::AgentLies, Fault::AgentBreaks, Fault::AgentWeakensTests, Fault::AgentAddsSecret];

/// A red pull request that nobody has repaired by then is given up, and another one is it.
const RED_FOR: Span = Span::from_mins(20);

/// More than this is asked for in vain.
const MORE_MAX: u32 = 3;

/// How the branches of issues begin.
pub(crate) const ISSUE_BRANCHES: &str = "ralph/issue-";

#[derive(Debug, Default)]
pub(crate) struct Fate {
    /// Calm lives have none.
    is_drawn: bool,
    /// The pull request that is red, and since when.
    red: Option<((RepoName, u64), Time)>,
    /// Its red heads, and which one of them each is.
    red_heads: BTreeMap<Sha, usize>,
    /// The next pull request is the one.
    awaits_conflict: bool,
    /// How often more was asked for because something had not come yet.
    more: u32,
}

impl Town {
    pub(super) fn draw_fate(&mut self) {
        if self.weather.is_calm {
            return;
        }
        self.fate.is_drawn = true;
        self.fate.awaits_conflict = true;
        self.draw_gathering();
        if let Some(cheat) = self.prng.pick(&CHEATS) {
            self.weather.owe(*cheat);
        }
    }

    /// A pull request was opened.
    pub(crate) fn meet_pull(&mut self, repo: &RepoName, number: u64, branch: &str) {
        let Some(issue) = branch.strip_prefix(ISSUE_BRANCHES) else { return };
        let is_due = self.fate.is_drawn && self.runs_in(Lane::CiDebug) == 0;
        if is_due && !self.required_checks(repo).is_empty() && !self.is_red_one_open() {
            self.fate.red = Some(((repo.clone(), number), self.now));
        } else if std::mem::take(&mut self.fate.awaits_conflict) {
            let issue = issue.split('-').next().unwrap_or_default();
            let file = format!("src/thing-{issue}.txt");
            self.weather.count(Fault::PersonMovesBase);
            self.commit_by_hand(repo, BOT_BRANCH, &file, "the same, by hand");
        }
    }

    fn is_red_one_open(&mut self) -> bool {
        let Some(((repo, number), since)) = self.fate.red.clone() else { return false };
        if self.now.since(since) > RED_FOR {
            return false;
        }
        match self.look(&repo, PullCall::Get { number }) {
            Some(Reply::Pull(view)) => matches!(view.summary.issue.state, IssueState::Open { .. }),
            _other => false,
        }
    }

    pub(crate) fn is_red_one(&self, repo: &RepoName, number: u64) -> bool {
        self.fate.red.as_ref().is_some_and(|((of, red), _)| of == repo && *red == number)
    }

    /// Which of the red heads this is, if it is one.
    pub(crate) fn red_head(&mut self, repo: &RepoName, head: Sha) -> Option<usize> {
        let pull = self.pulls_by_head.get(&(repo.clone(), head))?;
        if !self.is_red_one(repo, *pull) || self.runs_in(Lane::CiDebug) > 0 {
            return None;
        }
        let place = self.fate.red_heads.len();
        Some(*self.fate.red_heads.entry(head).or_insert(place))
    }

    pub(crate) fn commit_by_hand(&mut self, repo: &RepoName, branch: &str, path: &str, text: &str) {
        let commit = BranchCommit {
            branch: branch.to_owned(),
            content: Content::written([(path, text)]),
            message: "A person's change".to_owned(),
        };
        self.keep_for_stale_reads();
        let now = self.seconds();
        let made = self.forge_mut().commit_on_branch(OWNER, now, repo.as_str(), commit);
        if let Ok((_, events)) = made {
            self.spread(&events);
        }
    }

    /// Everything is at rest. If something has not come yet, people ask for more, and it comes with that.
    pub(crate) fn ask_for_more(&mut self) -> bool {
        let has_red = self.runs_in(Lane::CiDebug) > 0;
        let has_conflict = self.runs_in(Lane::MergeConflict) > 0;
        let has_parent = self.ledger.verifications > 0;
        let has_cheat = CHEATS.iter().any(|cheat| self.weather.counts().contains_key(cheat));
        let has_trial = self.had_trial();
        let has_all = has_red && has_conflict && has_parent && has_cheat && has_trial;
        if has_all || !self.fate.is_drawn || self.fate.more >= MORE_MAX {
            return false;
        }
        self.fate.more += 1;
        let Some(repo) = self.repos.first().cloned() else { return false };
        self.fate.awaits_conflict = !has_conflict;
        if !has_parent {
            self.open_parent(&repo);
        }
        let single = [has_red, has_conflict, has_cheat].iter().filter(|has| !**has).count();
        let together = if has_trial { 0 } else { ENOUGH };
        if !has_trial {
            self.let_outdated_heads_in(&repo);
        }
        (0..single as u64 + together).for_each(|_| self.ask_for_one(&repo));
        true
    }

    fn ask_for_one(&mut self, repo: &RepoName) {
        let labels = vec!["ralph:status:queued".to_owned()];
        self.ask_for(repo.clone(), "One more.".to_owned(), labels);
    }

    /// A new issue whose child is done.
    fn open_parent(&mut self, repo: &RepoName) {
        let keys = self.issues.clone();
        let closed = keys.iter().find(|key| !self.is_open(key));
        let child = closed.and_then(|child| self.issue_id(child));
        self.ask_for_one(repo);
        let parent = self.issues.last().map(|key| key.number);
        if let (Some(number), Some(child_id)) = (parent, child) {
            let call = RelationCall::AddSubIssue { number, child_id, replace_parent: true };
            self.act(OWNER, repo, call);
        }
    }

    /// Runs of this lane that an agent took a turn of.
    fn runs_in(&self, lane: Lane) -> u64 {
        let runs = self.ledger.lane_runs.iter().filter(|((_, of), _)| *of == lane);
        runs.map(|(_, runs)| runs.len() as u64).sum()
    }

    /// How often each lane was taken.
    pub(crate) fn lanes_taken(&self) -> BTreeMap<&'static str, u64> {
        let mut taken: BTreeMap<_, _> =
            Lane::ALL.iter().map(|lane| (lane.name(), self.runs_in(*lane))).collect();
        taken.insert("parent verification", self.ledger.verifications);
        taken.insert("trial of a batch", self.ledger.trials.len() as u64);
        taken
    }
}

/// What every life has, by what the report calls it, and how often this one had it.
pub(crate) fn had(life: &Life) -> BTreeMap<&'static str, u64> {
    let count = |fault: &Fault| life.faults.get(fault).copied().unwrap_or(0);
    let mut all: BTreeMap<_, _> =
        IN_EVERY_LIFE.iter().map(|(fault, name)| (*name, count(fault))).collect();
    all.insert("cheat", CHEATS.iter().map(count).sum());
    all.extend(&life.lanes_taken);
    all
}
