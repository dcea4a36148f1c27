//! Ready changes on their way into the bot branch together: merged one onto the other on a branch of their own, tried
//! there by one run of the checks, and then merged one after the other in the order in which they were tried.

use crate::batch::{Ended, Planner};
use crate::ids::{Branch, PullNumber, Sha};
use crate::pull::{Pull, PullState};
use crate::run::Run;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the names of all branches for this purpose begin with.
const BRANCHES: &str = "ralph/trial/";

#[must_use]
pub fn trial_branch(number: u32) -> Branch {
    Branch::new(&format!("{BRANCHES}{number}"))
}

#[must_use]
pub fn is_trial_branch(branch: &Branch) -> bool {
    branch.as_str().starts_with(BRANCHES)
}

/// A change as the planner knows it: the same as long as its difference to the base is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub issue: u64,
    pub diff: String,
}

/// A change that takes part in a trial, with the head that is tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Car {
    pub issue: u64,
    pub diff: String,
    pub pull: PullNumber,
    pub head: Sha,
}

impl Car {
    #[must_use]
    pub fn member(&self) -> Member {
        Member { issue: self.issue, diff: self.diff.clone() }
    }
}

/// A trial under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    pub number: u32,
    /// The head of the bot branch that it is built on.
    pub base: Sha,
    /// In the order in which they are tried and merged.
    pub cars: Vec<Car>,
    /// The tree after each of them.
    pub trees: Vec<String>,
    /// The last commit: what the checks run on.
    pub commit: Sha,
    pub is_pushed: bool,
    pub open: Option<TrialPull>,
    /// When its checks were found to be green.
    pub green_at: Option<Time>,
    /// The first of them, as far as they are merged.
    pub merged: Vec<MergedCar>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialPull {
    pub number: PullNumber,
    pub opened: Time,
    /// As last read, with its checks.
    pub seen: Option<Pull>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedCar {
    pub commit: Sha,
    /// What came of it, once read.
    pub tree: Option<String>,
}

/// How a trial came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialEnd {
    /// All of its members are merged, as they were tried.
    Merged,
    ChecksFailed(Vec<String>),
    ChecksLate(Vec<String>),
    /// No check is required of it any more, so there is nothing to wait for.
    NothingRequired,
    /// The bot branch is not where it was built on any more.
    BaseMoved,
    /// Somebody's turn to be tested alone is not over yet.
    Overtaken,
    /// This issue was stopped, changed, or taken elsewhere.
    MemberLeft(u64),
    /// What came of merging this one is not what was tried.
    TreeDiffers(u64),
    /// Its members were not merged in time.
    Stuck,
    Closed,
    /// A person merged the trial itself, as it was.
    MergedByHand,
    /// Somebody changed its head or its base.
    Changed,
    Refused(String),
}

impl TrialEnd {
    const fn how(&self) -> Ended {
        match self {
            Self::Merged => Ended::Green,
            Self::ChecksFailed(_) => Ended::Red,
            Self::ChecksLate(_)
            | Self::NothingRequired
            | Self::BaseMoved
            | Self::Overtaken
            | Self::MemberLeft(_)
            | Self::TreeDiffers(_)
            | Self::Stuck
            | Self::Closed
            | Self::MergedByHand
            | Self::Changed
            | Self::Refused(_) => Ended::Void,
        }
    }
}

/// A trial that a person merged: by this commit its members are in the bot branch, whatever became of their own
/// pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHand {
    pub commit: Sha,
    pub cars: Vec<Car>,
}

/// The trial that ended last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastTrial {
    pub number: u32,
    pub end: TrialEnd,
    pub at: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Train {
    pub planner: Planner<Member>,
    /// The number of the latest trial.
    pub number: u32,
    pub trial: Option<Trial>,
    pub last: Option<LastTrial>,
    /// The last trial that a person merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
    /// Heads that conflict with others, or whose trial somebody closed: they go alone until the bot branch moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<Sha>,
    /// Trials that are over, whose branches are to be deleted and pull requests to be closed before that.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<u32, Option<PullNumber>>,
    /// The bot branch was seen to want up-to-date heads: then nothing but an up-to-date head is ever merged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_strict: bool,
}

impl Trial {
    #[must_use]
    pub fn branch(&self) -> Branch {
        trial_branch(self.number)
    }

    /// Where the bot branch is to stand now.
    #[must_use]
    pub fn expected(&self) -> &Sha {
        self.merged.last().map_or(&self.base, |merged| &merged.commit)
    }

    /// The commit by which somebody merged it.
    fn merge_commit(&self) -> Option<&Sha> {
        match &self.open.as_ref()?.seen.as_ref()?.state {
            PullState::Merged { commit } => Some(commit),
            PullState::Open | PullState::Closed => None,
        }
    }

    /// Those that are not merged yet.
    #[must_use]
    pub fn waiting(&self) -> &[Car] {
        self.cars.get(self.merged.len()..).unwrap_or_default()
    }

    /// The first whose merge did not give the tree that was tried.
    #[must_use]
    pub fn mismatch(&self) -> Option<&Car> {
        let places = self.cars.iter().zip(&self.trees).zip(&self.merged);
        let differs =
            |tried: &String, seen: &Option<String>| seen.as_ref().is_some_and(|seen| seen != tried);
        let mut wrong = places.filter(|((_, tried), merged)| differs(tried, &merged.tree));
        wrong.next().map(|((car, _), _)| car)
    }

    /// The first merge whose tree is not known yet.
    #[must_use]
    pub fn unread(&self) -> Option<&Sha> {
        self.merged.iter().find(|merged| merged.tree.is_none()).map(|merged| &merged.commit)
    }
}

impl Train {
    /// The commit of the bot branch onto which this head is to be merged now, because it was tried there.
    #[must_use]
    pub fn may_merge(&self, issue: u64, head: &Sha) -> Option<&Sha> {
        let trial = self.trial.as_ref().filter(|trial| trial.green_at.is_some())?;
        let next = trial.waiting().first()?;
        let is_next = next.issue == issue && next.head == *head;
        let is_as_tried = trial.unread().is_none() && trial.mismatch().is_none();
        (is_next && is_as_tried).then(|| trial.expected())
    }

    /// The commit by which a person has merged this head, together with those it was tried with.
    #[must_use]
    pub fn merged_by_hand(&self, issue: u64, run: &Run) -> Option<&Sha> {
        let head = &run.head.as_ref()?.commit;
        let is_it =
            |car: &Car| car.issue == issue && Some(car.pull) == run.pull && car.head == *head;
        let by_hand = self.by_hand.as_ref()?;
        by_hand.cars.iter().any(is_it).then_some(&by_hand.commit)
    }

    /// Until when nobody is tested again: trials have merged nothing for too long.
    #[must_use]
    pub fn rests_until(&self) -> Option<Time> {
        self.planner.history.pause_until(self.last.as_ref()?.at)
    }

    /// What other changes do to the bot branch is not what was tried.
    pub(crate) fn base_moved(&mut self) {
        self.planner.base_moved();
        self.apart.clear();
    }

    /// A pull request was merged by itself, or as a part of the trial.
    pub(crate) fn merged(&mut self, member: &Member, commit: &Sha) {
        if !self.rides(member.issue, commit) {
            self.planner.ended(std::slice::from_ref(member), Ended::Green);
        }
        self.apart.clear();
    }

    /// Is it the next one of the trial? Then it is merged now.
    pub(crate) fn rides(&mut self, issue: u64, commit: &Sha) -> bool {
        let Some(trial) = self.trial.as_mut() else { return false };
        if trial.merged.iter().any(|merged| merged.commit == *commit) {
            return true;
        }
        let is_next = trial.waiting().first().is_some_and(|car| car.issue == issue);
        if is_next {
            trial.merged.push(MergedCar { commit: commit.clone(), tree: None });
        }
        is_next
    }

    /// Whoever was tested alone is red.
    pub(crate) fn failed_alone(&mut self, member: &Member) {
        self.planner.ended(std::slice::from_ref(member), Ended::Red);
    }

    pub(crate) fn end(&mut self, now: Time, why: &TrialEnd) {
        let Some(trial) = self.trial.take() else { return };
        let all: Vec<_> = trial.cars.iter().map(Car::member).collect();
        let (merged, rest) = all.split_at(trial.merged.len().min(all.len()));
        // What was never pushed has cost nothing and says nothing.
        if trial.is_pushed {
            if !merged.is_empty() {
                self.planner.ended(merged, Ended::Green);
            }
            match why.how() {
                Ended::Green => {}
                Ended::Red => drop(self.planner.ended(rest, Ended::Red)),
                // Something was merged, and who of them is bad is not known.
                Ended::Void if matches!(why, TrialEnd::MergedByHand) => {
                    drop(self.planner.ended(&[], Ended::Green));
                }
                Ended::Void if merged.is_empty() => drop(self.planner.ended(rest, Ended::Void)),
                Ended::Void => self.planner.base_moved(),
            }
        }
        // Whoever took it apart does not want to see them together at once again.
        if matches!(why, TrialEnd::Closed | TrialEnd::Changed) {
            self.apart.extend(trial.waiting().iter().map(|car| car.head.clone()));
        }
        if let (TrialEnd::MergedByHand, Some(commit)) = (why, trial.merge_commit()) {
            let (commit, cars) = (commit.clone(), trial.waiting().to_vec());
            self.by_hand = Some(ByHand { commit, cars });
        }
        let is_open =
            |open: &TrialPull| open.seen.as_ref().is_none_or(|seen| seen.state == PullState::Open);
        let pull = trial.open.filter(is_open).map(|open| open.number);
        self.left.insert(trial.number, pull);
        self.last = Some(LastTrial { number: trial.number, end: why.clone(), at: now });
    }
}
