//! The merge queue of a repository: the order in which ready changes reach the bot branch, tested together or one by
//! one. This module holds everything about it: its state, its planner, its decisions, and the facts that change it.

mod entries;
mod history;
mod merge_slot;
mod planner;
pub(crate) mod recorded;
mod trial;
mod trial_build;

pub(crate) use entries::{in_state, required};
pub use history::{BARREN_MAX, BARREN_PAUSE, History};
pub(crate) use merge_slot::{next, until, waits};
pub use planner::{Ended, Next, Planner};
pub use trial::{
    Entry, LastTrial, Member, MergedEntry, Trial, TrialEnd, TrialPull, TrialStage, is_trial_branch,
    trial_branch,
};
pub(crate) use trial_build::{Wanted, want};

use crate::ids::{PullNumber, Sha};
use crate::pull::PullState;
use crate::run::Run;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A trial build that a person merged. Its commit brought the entries into the bot branch, whatever happened to their
/// own pull requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByHand {
    pub commit: Sha,
    #[serde(alias = "cars")]
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MergeQueue {
    pub planner: Planner<Member>,
    /// The number of the latest trial build.
    pub number: u32,
    pub trial: Option<Trial>,
    pub last: Option<LastTrial>,
    /// The last trial build that a person merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<ByHand>,
    /// Heads that conflict with others, or whose trial build a person closed or changed: each is tested alone until the
    /// bot branch moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<Sha>,
    /// Trial builds that are over. Ralph closes their pull requests and then deletes their branches.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<u32, Option<PullNumber>>,
    /// True if the bot branch was seen to require up-to-date heads: then only an up-to-date head is ever merged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_strict: bool,
}

impl MergeQueue {
    /// The commit of the bot branch onto which this head may be merged now, because it was tested there.
    #[must_use]
    pub fn may_merge(&self, issue: u64, head: &Sha) -> Option<&Sha> {
        let is_green = |trial: &&Trial| matches!(trial.stage, TrialStage::Green { .. });
        let trial = self.trial.as_ref().filter(is_green)?;
        let next = trial.waiting().first()?;
        let is_next = next.issue == issue && next.head == *head;
        let is_as_tried = trial.unread().is_none() && trial.mismatch().is_none();
        (is_next && is_as_tried).then(|| trial.expected())
    }

    /// The commit by which a person merged this head, together with the entries it was tested with.
    #[must_use]
    pub fn merged_by_hand(&self, issue: u64, run: &Run) -> Option<&Sha> {
        let head = &run.head.as_ref()?.commit;
        let is_it = |entry: &Entry| {
            entry.issue == issue && Some(entry.pull) == run.pull && entry.head == *head
        };
        let by_hand = self.by_hand.as_ref()?;
        by_hand.entries.iter().any(is_it).then_some(&by_hand.commit)
    }

    /// The time before which nothing is tested again, because trial builds have merged nothing for too long.
    #[must_use]
    pub fn rests_until(&self) -> Option<Time> {
        self.planner.history.pause_until(self.last.as_ref()?.at)
    }

    /// Forgets earlier results: they do not include the other changes that moved the bot branch.
    pub(crate) fn base_moved(&mut self) {
        self.planner.base_moved();
        self.apart.clear();
    }

    /// Records that a pull request was merged, by itself or as a part of the trial build.
    pub(crate) fn merged(&mut self, member: &Member, commit: &Sha) {
        if !self.take_merged(member.issue, commit) {
            self.planner.ended(std::slice::from_ref(member), Ended::Green);
        }
        self.apart.clear();
    }

    /// Records the merge if the issue is next in the trial build. True if the merge belongs to the trial build.
    pub(crate) fn take_merged(&mut self, issue: u64, commit: &Sha) -> bool {
        let Some(trial) = self.trial.as_mut() else { return false };
        if trial.merged.iter().any(|merged| merged.commit == *commit) {
            return true;
        }
        let is_next = trial.waiting().first().is_some_and(|entry| entry.issue == issue);
        if is_next {
            trial.merged.push(MergedEntry { commit: commit.clone(), tree: None });
        }
        is_next
    }

    /// Counts a change that was tested alone as red.
    pub(crate) fn failed_alone(&mut self, member: &Member) {
        self.planner.ended(std::slice::from_ref(member), Ended::Red);
    }

    pub(crate) fn end(&mut self, now: Time, why: &TrialEnd) {
        let Some(trial) = self.trial.take() else { return };
        let all: Vec<_> = trial.entries.iter().map(Entry::member).collect();
        let (merged, rest) = all.split_at(trial.merged.len().min(all.len()));
        // A trial build that was never pushed cost nothing and says nothing.
        if trial.stage != TrialStage::Built {
            if !merged.is_empty() {
                self.planner.ended(merged, Ended::Green);
            }
            match why.how() {
                Ended::Green => {}
                Ended::Red => drop(self.planner.ended(rest, Ended::Red)),
                // Something was merged, and it is not known which entry is bad.
                Ended::Void if matches!(why, TrialEnd::MergedByHand) => {
                    drop(self.planner.ended(&[], Ended::Green));
                }
                Ended::Void if merged.is_empty() => drop(self.planner.ended(rest, Ended::Void)),
                Ended::Void => self.planner.base_moved(),
            }
        }
        // The person who closed or changed it does not want the same entries together again at once.
        if matches!(why, TrialEnd::Closed | TrialEnd::Changed) {
            self.apart.extend(trial.waiting().iter().map(|entry| entry.head.clone()));
        }
        if let (TrialEnd::MergedByHand, Some(commit)) = (why, trial.merge_commit()) {
            let (commit, entries) = (commit.clone(), trial.waiting().to_vec());
            self.by_hand = Some(ByHand { commit, entries });
        }
        let is_open =
            |open: &TrialPull| open.seen.as_ref().is_none_or(|seen| seen.state == PullState::Open);
        let pull = trial.pull().filter(|open| is_open(open)).map(|open| open.number);
        self.left.insert(trial.number, pull);
        self.last = Some(LastTrial { number: trial.number, end: why.clone(), at: now });
    }
}
