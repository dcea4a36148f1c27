//! Checks of the first repository that wait for each other, until a trial was seen: several changes are ready at
//! once, and the bot branch has moved on under all of them.

use crate::faults::script::ISSUE_BRANCHES;
use crate::faults::{Fault, FaultPlan};
use crate::schedule::Event;
use crate::world::{BOT_BRANCH, OWNER, REQUIRED, SimWorld};
use ralph_core::ids::RepoName;
use ralph_core::time::Span;
use ralph_forge::{GetPull, SetProtection};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const ENOUGH: u64 = 2;

/// The longest wait at the barrier, well below the time that Ralph waits for checks.
const WAIT_MAX: Span = Span::from_mins(30);

#[derive(Debug, Default)]
pub(crate) struct Barrier {
    /// The number of pull requests whose checks run together; calm runs have none.
    wanted: u64,
    /// Pull requests that wait, with their heads.
    held: BTreeMap<u64, String>,
    /// Pull requests that have waited.
    released: BTreeSet<u64>,
}

impl SimWorld {
    pub(crate) fn draw_barrier(&mut self) {
        self.faults.barrier.wanted = self.prng.between(ENOUGH, ENOUGH + 2);
    }

    pub(crate) fn let_outdated_heads_in(&mut self, repo: &RepoName) {
        let Some(mut protection) = self.forge.strict_protection(repo) else { return };
        protection.required_checks.iter_mut().for_each(|checks| checks.strict = false);
        let branch = BOT_BRANCH.to_owned();
        self.act(OWNER, repo, SetProtection { branch, protection });
    }

    /// Are the checks of this head to wait for others?
    pub(crate) fn holds_back(&mut self, repo: &RepoName, sha: &str) -> bool {
        let is_first = self.forge.repos.first() == Some(repo);
        if self.faults.barrier.wanted == 0 || self.oracle.had_trial() || !is_first {
            return false;
        }
        let pull =
            sha.parse().ok().and_then(|head| self.forge.pulls_by_head.get(&(repo.clone(), head)));
        let Some(number) = pull.copied() else { return false };
        if self.faults.barrier.released.contains(&number) || self.faults.is_red_one(repo, number) {
            return false;
        }
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return false;
        };
        let is_of_issue = view.summary.head.starts_with(ISSUE_BRANCHES);
        if !is_of_issue || self.forge.strict_protection(repo).is_some() {
            return false;
        }
        if self.faults.barrier.held.is_empty() {
            self.schedule.at(self.clock.now().plus(WAIT_MAX), Event::ChecksRun);
        }
        self.faults.barrier.held.insert(number, sha.to_owned());
        if self.faults.barrier.held.len() as u64 >= self.faults.barrier.wanted {
            self.schedule.after(self.clock.now(), 1, Event::ChecksRun);
        }
        true
    }

    /// Releases all pull requests at the barrier at once, just after the bot branch was moved on.
    pub(crate) fn run_held_checks(&mut self) {
        let Some(repo) = self.forge.repos.first().cloned() else { return };
        let held = std::mem::take(&mut self.faults.barrier.held);
        if held.is_empty() {
            return;
        }
        self.trace.say(&format!("the checks of {} pull requests run together", held.len()));
        let text = format!("moved {}", self.prng.below(1_000_000));
        self.faults.count(Fault::PersonMovesBase);
        self.commit_by_hand(&repo, BOT_BRANCH, "docs.txt", &text);
        let delay = self.prng.between(5_000, 60_000);
        for (number, sha) in held {
            self.faults.barrier.released.insert(number);
            for name in REQUIRED {
                let (repo, sha, name) = (repo.clone(), sha.clone(), name.to_owned());
                self.schedule.after(self.clock.now(), delay, Event::Check { repo, sha, name });
            }
        }
    }
}

impl FaultPlan {
    /// From now on the checks of so many run together.
    pub(crate) const fn set_barrier(&mut self, count: u64) {
        self.barrier.wanted = count;
    }
}
