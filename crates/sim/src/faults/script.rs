//! The scripted events of every run, whatever its fault plan: an agent that cheats, one that stalls, a check that is
//! red by chance, a pull request whose checks are red until a lane repairs it, one that comes into conflict with the
//! bot branch, a merge that is lost on its way and one that a push comes before, a comment after which Ralph dies,
//! several changes that are tried together, a survey, and a parent whose child is done.

use crate::faults::barrier::ENOUGH;
use crate::faults::{Fault, FaultPlan};
use crate::people::IN_EVERY_RUN;
use crate::run::SimRun;
use crate::world::{BOT_BRANCH, OWNER, SimWorld};
use ralph_core::ids::RepoName;
use ralph_core::lane::Lane;
use ralph_core::time::{Span, Time};
use ralph_forge::{
    AddSubIssue, BranchCommit, CloseReason, Content, EditIssue, GetPull, IssueEdit, IssueState,
    Sha, StateChange,
};
use std::collections::BTreeMap;

/// The ways in which an agent may cheat; every run has at least one of them.
const CHEATS: [Fault; 4] =
    [Fault::AgentLies, Fault::AgentBreaks, Fault::AgentWeakensTests, Fault::AgentAddsSecret];

/// Faults that every run has besides: a turn that gets nowhere, and a check that only chance makes red.
const OWED: [Fault; 2] = [Fault::AgentStalls, Fault::CheckFlakes];

/// A red pull request that is not repaired by then is given up, and another one takes its place.
const RED_FOR: Span = Span::from_mins(20);

/// After so many rounds the report says which scripted event a run lacks. Trials come last: after many red changes
/// Ralph tries them one by one, until enough were green.
const ROUNDS_MAX: u32 = 16;

/// The prefix of issue branches.
pub(crate) const ISSUE_BRANCHES: &str = "ralph/issue-";

#[derive(Debug, Default)]
pub(crate) struct Script {
    /// False in calm runs.
    is_drawn: bool,
    /// The pull request that is red, and since when.
    red: Option<((RepoName, u64), Time)>,
    /// Its red heads, and which one of them each is.
    red_heads: BTreeMap<Sha, usize>,
    /// The next pull request is the one.
    awaits_conflict: bool,
    /// Ralph dies once between writing a comment and hearing of it.
    dies_after_comment: bool,
    /// The mishaps of the next merges of issues' pull requests, the last one first.
    merges: Vec<MergeMishap>,
    /// The number of times that more issues were opened because a scripted event was missing.
    rounds: u32,
}

/// The mishap of one merge in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeMishap {
    /// The request never arrives, and no answer says so.
    Lost,
    /// A person pushes to the branch after Ralph's last look.
    Pushed,
}

impl SimWorld {
    pub(crate) fn draw_script(&mut self) {
        if self.faults.is_calm {
            return;
        }
        self.faults.script.is_drawn = true;
        self.faults.script.awaits_conflict = true;
        self.faults.script.dies_after_comment = true;
        self.faults.script.merges = vec![MergeMishap::Pushed, MergeMishap::Lost];
        self.draw_barrier();
        self.draw_outdated();
        let cheat = self.prng.pick(&CHEATS);
        let seldom = [Fault::StrangerPlants, Fault::AgentLate];
        OWED.iter().chain(cheat).chain(&seldom).for_each(|fault| self.faults.owe(*fault));
    }

    /// A pull request was opened.
    pub(crate) fn meet_pull(&mut self, repo: &RepoName, number: u64, branch: &str) {
        let Some(issue) = branch.strip_prefix(ISSUE_BRANCHES) else { return };
        let is_due = self.faults.script.is_drawn && self.oracle.runs_in(Lane::CiDebug) == 0;
        if is_due && !self.forge.required_checks(repo).is_empty() && !self.is_red_one_open() {
            self.faults.script.red = Some(((repo.clone(), number), self.clock.now()));
        } else if std::mem::take(&mut self.faults.script.awaits_conflict) {
            let issue = issue.split('-').next().unwrap_or_default();
            let file = format!("src/thing-{issue}.txt");
            self.faults.count(Fault::PersonMovesBase);
            self.commit_by_hand(repo, BOT_BRANCH, &file, "the same, by hand");
        } else {
            self.outdate(repo);
        }
    }

    fn is_red_one_open(&mut self) -> bool {
        let Some(((repo, number), since)) = self.faults.script.red.clone() else { return false };
        if self.clock.now().since(since) > RED_FOR {
            return false;
        }
        match self.forge.look(&repo, GetPull { number }) {
            Some(view) => matches!(view.summary.issue.state, IssueState::Open { .. }),
            _other => false,
        }
    }

    /// The position of this commit among the red heads, if it is one.
    pub(crate) fn red_head(&mut self, repo: &RepoName, head: Sha) -> Option<usize> {
        let pull = self.forge.pulls_by_head.get(&(repo.clone(), head))?;
        if !self.faults.is_red_one(repo, *pull) || self.oracle.runs_in(Lane::CiDebug) > 0 {
            return None;
        }
        let place = self.faults.script.red_heads.len();
        Some(*self.faults.script.red_heads.entry(head).or_insert(place))
    }

    pub(crate) fn commit_by_hand(&mut self, repo: &RepoName, branch: &str, path: &str, text: &str) {
        let commit = BranchCommit {
            branch: branch.to_owned(),
            content: Content::written([(path, text)]),
            message: "A person's change".to_owned(),
        };
        self.keep_for_stale_reads();
        let now = self.clock.seconds();
        let made = self.forge.model_mut().commit_on_branch(OWNER, now, repo.as_str(), commit);
        if let Ok((_, events)) = made {
            self.spread(&events);
        }
    }

    /// Takes the scripted mishap for the merge that Ralph asks for now.
    pub(crate) fn merge_mishap(&mut self) -> Option<MergeMishap> {
        let mishap = self.faults.script.merges.pop()?;
        let count = match mishap {
            MergeMishap::Lost => &mut self.oracle.record.merges_lost,
            MergeMishap::Pushed => &mut self.oracle.record.merges_pushed,
        };
        *count += 1;
        Some(mishap)
    }

    /// Everything is at rest. If something has not come yet, people ask for more, and it comes with that.
    pub(crate) fn ask_for_more(&mut self) -> bool {
        let has_conflict = self.oracle.runs_in(Lane::MergeConflict) > 0;
        let has_parent = self.oracle.record.verifications > 0;
        let single = self.missing_singles();
        let has_all = single == 0 && has_parent && self.oracle.had_trial();
        if has_all || !self.faults.script.is_drawn || self.faults.script.rounds >= ROUNDS_MAX {
            return false;
        }
        self.faults.script.rounds += 1;
        let Some(repo) = self.forge.repos.first().cloned() else { return false };
        self.faults.script.awaits_conflict = !has_conflict;
        if !has_parent {
            self.open_parent(&repo);
        }
        (0..single).for_each(|_| self.ask_for_one(&repo));
        // The other scripted events would keep these issues from being tried together.
        if single == 0 && !self.oracle.had_trial() {
            self.let_outdated_heads_in(&repo);
            self.faults.set_barrier(ENOUGH);
            (0..ENOUGH).for_each(|_| self.ask_for_one(&repo));
        }
        true
    }

    /// The number of missing scripted events that take one issue each.
    fn missing_singles(&self) -> u64 {
        let counts = self.faults.counts();
        let has = [
            self.oracle.runs_in(Lane::CiDebug) > 0,
            self.oracle.runs_in(Lane::MergeConflict) > 0,
            CHEATS.iter().any(|cheat| counts.contains_key(cheat)),
            OWED.iter().all(|fault| counts.contains_key(fault)),
            !self.oracle.record.surveys.is_empty(),
            self.faults.script.merges.is_empty(),
        ];
        has.iter().filter(|has| !**has).count() as u64
    }

    fn ask_for_one(&mut self, repo: &RepoName) {
        let labels = vec!["ralph:status:queued".to_owned()];
        self.ask_for(repo.clone(), "One more.".to_owned(), labels);
    }

    /// Opens an issue with a closed child.
    fn open_parent(&mut self, repo: &RepoName) {
        self.ask_for(repo.clone(), "A part.".to_owned(), Vec::new());
        let Some(child) = self.people.issues.last().cloned() else { return };
        let state = Some(StateChange::Close(CloseReason::Completed));
        let edit = IssueEdit { state, ..IssueEdit::default() };
        self.act(OWNER, repo, EditIssue { number: child.number, edit });
        self.ask_for_one(repo);
        let parent = self.people.issues.last().map(|key| key.number);
        if let (Some(number), Some(child_id)) = (parent, self.forge.issue_id(&child)) {
            let call = AddSubIssue { number, child_id, replace_parent: true };
            self.act(OWNER, repo, call);
        }
    }

    /// Draws whether a trial meets a fault. Trials take place late in a run, after the other faults have ended, so
    /// each run keeps a few faults for them.
    pub(crate) fn strikes_trial(&mut self, per_mille: u64) -> bool {
        let strikes = self.faults.trial_mishaps > 0 && self.prng.chance(per_mille);
        self.faults.trial_mishaps -= u32::from(strikes);
        strikes
    }
}

impl FaultPlan {
    /// Is this the comment after which Ralph dies?
    pub(crate) fn dies_after_comment(&mut self) -> bool {
        let dies = !self.is_calm && std::mem::take(&mut self.script.dies_after_comment);
        if dies {
            self.count(Fault::CrashAfter);
        }
        dies
    }

    pub(crate) fn is_red_one(&self, repo: &RepoName, number: u64) -> bool {
        self.script.red.as_ref().is_some_and(|((of, red), _)| of == repo && *red == number)
    }
}

/// The counts of everything that every run has, by its name in the report.
pub(crate) fn had(run: &SimRun) -> BTreeMap<&'static str, u64> {
    let count = |fault: &Fault| run.faults.get(fault).copied().unwrap_or(0);
    let mut all: BTreeMap<_, _> =
        IN_EVERY_RUN.iter().map(|(fault, name)| (*name, count(fault))).collect();
    all.insert("cheat", CHEATS.iter().map(count).sum());
    all.insert("stalled turn", count(&Fault::AgentStalls));
    all.insert("check red by chance", count(&Fault::CheckFlakes));
    all.extend(&run.lanes_taken);
    all
}
