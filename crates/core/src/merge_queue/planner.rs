//! Chooses which ready pull requests are tested together, and draws the conclusions from a trial build: what is green
//! is merged, what is red is halved, and the recent failures decide how many are taken at once.

use super::History;
use serde::{Deserialize, Serialize};

/// The knowledge from earlier trial builds. It is small and durable: everything else follows from the ready changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planner<M> {
    pub history: History,
    /// Members that were red together. Only green ones have been merged since, so at least one of these is bad.
    suspects: Vec<M>,
}

/// The next action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next<M> {
    /// Test these together, in this order.
    Try(Vec<M>),
    /// Send this one back. It is bad, as far as trial builds can tell: everything else it was tested with is green. Its
    /// own checks say why, or that it was chance.
    Eject(M),
    /// Nothing is ready.
    Nothing,
}

/// The result of a trial build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All of its members are merged.
    Green,
    Red,
    /// No result: a person closed it, checks did not report in time, or its base has moved.
    Void,
}

impl<M> Default for Planner<M> {
    fn default() -> Self {
        Self { history: History::default(), suspects: Vec::new() }
    }
}

impl<M: Clone + PartialEq> Planner<M> {
    /// Chooses what to do with the ready changes, given in the order of the queue.
    #[must_use]
    pub fn next(&self, ready: &[M], batch_max: u32) -> Next<M> {
        match self.suspects_among(ready) {
            [] => {
                let size = self.history.size(batch_max);
                let taken: Vec<M> = ready.iter().take(size).cloned().collect();
                if taken.is_empty() { Next::Nothing } else { Next::Try(taken) }
            }
            [bad] => Next::Eject(bad.clone()),
            [first, ..] if self.history.is_runaway() => Next::Try(vec![first.clone()]),
            suspects => Next::Try(left_half(suspects).to_vec()),
        }
    }

    /// Takes in the end of a trial build. Returns the bad member, if it is known now.
    pub fn ended(&mut self, trial: &[M], how: Ended) -> Option<M> {
        self.history.tried(how == Ended::Green);
        match (how, trial) {
            (Ended::Green, _) => {
                trial.iter().for_each(|_| self.history.member(false));
                // The green half is merged, so the other half is as red as both were together.
                let is_half = left_half(&self.suspects) == trial;
                self.suspects.retain(|member| is_half && !trial.contains(member));
                None
            }
            (Ended::Red, [bad]) => {
                let bad = bad.clone();
                self.ejected();
                Some(bad)
            }
            // The right half of the earlier suspects may well be green: it is tested again later, with others.
            (Ended::Red, _) => {
                self.suspects = trial.to_vec();
                None
            }
            (Ended::Void, _) => {
                self.suspects.clear();
                None
            }
        }
    }

    /// Counts a change that was sent back as bad.
    pub fn ejected(&mut self) {
        self.history.member(true);
        self.suspects.clear();
    }

    /// Forgets the suspects: after another merge it is no longer known which of them are bad.
    pub fn base_moved(&mut self) {
        self.suspects.clear();
    }

    /// The suspects, if all of them are still ready. Once one has left, their result proves nothing about the rest.
    fn suspects_among(&self, ready: &[M]) -> &[M] {
        let is_whole = self.suspects.iter().all(|suspect| ready.contains(suspect));
        if is_whole { &self.suspects } else { &[] }
    }
}

fn left_half<M>(all: &[M]) -> &[M] {
    all.split_at(all.len().div_ceil(2)).0
}
