//! Which ready pull requests are tried together, and what follows from a trial: what is green is merged, what is
//! red is halved, and how many are taken at once follows from how many failed lately.

mod history;

pub use history::{BARREN_MAX, BARREN_PAUSE, History};

use serde::{Deserialize, Serialize};

/// What is known from earlier trials. Small and durable: everything else is read off the ready ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planner<M> {
    pub history: History,
    /// Tested together they were red, and nothing but what was green has been merged since: at least one of
    /// them is bad.
    suspects: Vec<M>,
}

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next<M> {
    /// These are tested together, in this order.
    Try(Vec<M>),
    /// It is bad, as far as trials can tell: everything else it was tested with is green. Its own checks say why, or
    /// that it was chance.
    Eject(M),
    /// Nothing is ready.
    Nothing,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Its members are merged, all of them.
    Green,
    Red,
    /// It says nothing: somebody closed it, nothing was reported in time, or what it was built on has moved.
    Void,
}

impl<M> Default for Planner<M> {
    fn default() -> Self {
        Self { history: History::default(), suspects: Vec::new() }
    }
}

impl<M: Clone + PartialEq> Planner<M> {
    /// What to do about what is ready, the first in line first.
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

    /// A trial came to its end. Gives who is bad, if that is known now.
    pub fn ended(&mut self, trial: &[M], how: Ended) -> Option<M> {
        self.history.tried(how == Ended::Green);
        match (how, trial) {
            (Ended::Green, _) => {
                trial.iter().for_each(|_| self.history.member(false));
                // Without what is green the others are as red as they were with it: it is merged.
                let is_half = left_half(&self.suspects) == trial;
                self.suspects.retain(|member| is_half && !trial.contains(member));
                None
            }
            (Ended::Red, [bad]) => {
                let bad = bad.clone();
                self.ejected();
                Some(bad)
            }
            // The right half of what was red before may well be green: it is taken up anew, with others.
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

    /// Somebody was sent back as bad.
    pub fn ejected(&mut self) {
        self.history.member(true);
        self.suspects.clear();
    }

    /// Something else was merged: who is bad together with what is there now is not known any more.
    pub fn base_moved(&mut self) {
        self.suspects.clear();
    }

    /// Who was red together proves nothing about the rest once one of them has left.
    fn suspects_among(&self, ready: &[M]) -> &[M] {
        let is_whole = self.suspects.iter().all(|suspect| ready.contains(suspect));
        if is_whole { &self.suspects } else { &[] }
    }
}

fn left_half<M>(all: &[M]) -> &[M] {
    all.split_at(all.len().div_ceil(2)).0
}
