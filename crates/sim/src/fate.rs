//! What every life has whatever its weather: an agent that cheats, one that stalls, a check that is red by chance, a pull
//! request whose checks are red until a lane repairs it, one that comes into conflict with the bot branch, a merge that
//! is lost on its way and one that a push comes before, a comment after which Ralph dies, several that are tried together, a survey, and a parent whose
//! child is done.

use crate::gathering::ENOUGH;
use crate::life::Life;
use crate::people::IN_EVERY_LIFE;
use crate::town::{BOT_BRANCH, OWNER, Town};
use crate::weather::Fault;
use ralph_core::ids::RepoName;
use ralph_core::lane::Lane;
use ralph_core::time::{Span, Time};
use ralph_forge::{
    BranchCommit, CloseReason, Content, IssueCall, IssueEdit, IssueState, PullCall, RelationCall,
    Reply, Sha, StateChange,
};
use std::collections::BTreeMap;

/// How an agent may cheat; every life has one of them at least.
const CHEATS: [Fault; 4] =
    [Fault::AgentLies, Fault::AgentBreaks, Fault::AgentWeakensTests, Fault::AgentAddsSecret];

/// What goes wrong in every life besides: a turn that gets nowhere, and a check that only chance makes red.
const OWED: [Fault; 2] = [Fault::AgentStalls, Fault::CheckFlakes];

/// A red pull request that nobody has repaired by then is given up, and another one is it.
const RED_FOR: Span = Span::from_mins(20);

/// A life in which something has not come after so many rounds lacks it, and the report says so. Trials come last: after
/// many red changes Ralph tries them one by one, until enough were green.
const ROUNDS_MAX: u32 = 16;

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
    /// Ralph dies once between writing a comment and hearing of it.
    dies_after_comment: bool,
    /// What befalls the next merges of issues' pull requests, the last one first.
    merges: Vec<MergeMishap>,
    /// How often more was asked for because something had not come yet.
    rounds: u32,
}

/// What befalls one merge in every life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeMishap {
    /// The request never arrives, and no answer says so.
    Lost,
    /// Somebody pushes to the branch after Ralph's last look.
    Pushed,
}

impl Town {
    pub(super) fn draw_fate(&mut self) {
        if self.weather.is_calm {
            return;
        }
        self.fate.is_drawn = true;
        self.fate.awaits_conflict = true;
        self.fate.dies_after_comment = true;
        self.fate.merges = vec![MergeMishap::Pushed, MergeMishap::Lost];
        self.draw_gathering();
        self.draw_outdated();
        let cheat = self.prng.pick(&CHEATS);
        let seldom = [Fault::StrangerPlants, Fault::AgentLate];
        OWED.iter().chain(cheat).chain(&seldom).for_each(|fault| self.weather.owe(*fault));
    }

    /// Is this the comment after which Ralph dies?
    pub(crate) fn dies_after_comment(&mut self) -> bool {
        let dies = !self.weather.is_calm && std::mem::take(&mut self.fate.dies_after_comment);
        if dies {
            self.weather.count(Fault::CrashAfter);
        }
        dies
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
        } else {
            self.outdate(repo);
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

    /// Ralph asks for the merge of an issue's pull request: what befalls it in every life?
    pub(crate) fn merge_mishap(&mut self) -> Option<MergeMishap> {
        let mishap = self.fate.merges.pop()?;
        let count = match mishap {
            MergeMishap::Lost => &mut self.ledger.merges_lost,
            MergeMishap::Pushed => &mut self.ledger.merges_pushed,
        };
        *count += 1;
        Some(mishap)
    }

    /// Everything is at rest. If something has not come yet, people ask for more, and it comes with that.
    pub(crate) fn ask_for_more(&mut self) -> bool {
        let has_conflict = self.runs_in(Lane::MergeConflict) > 0;
        let has_parent = self.ledger.verifications > 0;
        let single = self.missing_singles();
        let has_all = single == 0 && has_parent && self.had_trial();
        if has_all || !self.fate.is_drawn || self.fate.rounds >= ROUNDS_MAX {
            return false;
        }
        self.fate.rounds += 1;
        let Some(repo) = self.repos.first().cloned() else { return false };
        self.fate.awaits_conflict = !has_conflict;
        if !has_parent {
            self.open_parent(&repo);
        }
        (0..single).for_each(|_| self.ask_for_one(&repo));
        // What befalls single ones would keep them from being tried with others.
        if single == 0 && !self.had_trial() {
            self.let_outdated_heads_in(&repo);
            self.gather(ENOUGH);
            (0..ENOUGH).for_each(|_| self.ask_for_one(&repo));
        }
        true
    }

    /// How many things have not come yet that take one issue each.
    fn missing_singles(&self) -> u64 {
        let counts = self.weather.counts();
        let has = [
            self.runs_in(Lane::CiDebug) > 0,
            self.runs_in(Lane::MergeConflict) > 0,
            CHEATS.iter().any(|cheat| counts.contains_key(cheat)),
            OWED.iter().all(|fault| counts.contains_key(fault)),
            !self.ledger.surveys.is_empty(),
            self.fate.merges.is_empty(),
        ];
        has.iter().filter(|has| !**has).count() as u64
    }

    fn ask_for_one(&mut self, repo: &RepoName) {
        let labels = vec!["ralph:status:queued".to_owned()];
        self.ask_for(repo.clone(), "One more.".to_owned(), labels);
    }

    /// A new issue with a child of its own that is closed: nobody has to have closed one before.
    fn open_parent(&mut self, repo: &RepoName) {
        self.ask_for(repo.clone(), "A part.".to_owned(), Vec::new());
        let Some(child) = self.issues.last().cloned() else { return };
        let state = Some(StateChange::Close(CloseReason::Completed));
        let edit = IssueEdit { state, ..IssueEdit::default() };
        self.act(OWNER, repo, IssueCall::Edit { number: child.number, edit });
        self.ask_for_one(repo);
        let parent = self.issues.last().map(|key| key.number);
        if let (Some(number), Some(child_id)) = (parent, self.issue_id(&child)) {
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
        taken.insert("survey", self.ledger.surveys.len() as u64);
        taken.insert("merge lost on its way", self.ledger.merges_lost);
        taken.insert("push right before a merge", self.ledger.merges_pushed);
        taken
    }
}

/// What every life has, by what the report calls it, and how often this one had it.
pub(crate) fn had(life: &Life) -> BTreeMap<&'static str, u64> {
    let count = |fault: &Fault| life.faults.get(fault).copied().unwrap_or(0);
    let mut all: BTreeMap<_, _> =
        IN_EVERY_LIFE.iter().map(|(fault, name)| (*name, count(fault))).collect();
    all.insert("cheat", CHEATS.iter().map(count).sum());
    all.insert("stalled turn", count(&Fault::AgentStalls));
    all.insert("check red by chance", count(&Fault::CheckFlakes));
    all.extend(&life.lanes_taken);
    all
}
