//! Checks of the first repository that wait for each other, until a trial was seen: several changes are ready at
//! once, and the bot branch has moved on under all of them.

use crate::fate::ISSUE_BRANCHES;
use crate::schedule::Event;
use crate::town::{BOT_BRANCH, OWNER, REQUIRED, Town};
use crate::weather::Fault;
use ralph_core::ids::RepoName;
use ralph_core::time::Span;
use ralph_forge::{BranchCall, Protection, PullCall, Reply};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const ENOUGH: u64 = 2;

/// Who waits longer is not waited for. Well below what Ralph waits for checks.
const WAIT_MAX: Span = Span::from_mins(30);

#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// Of how many the checks are to run together; calm lives have none.
    wanted: u64,
    /// Pull requests that wait, with their heads.
    held: BTreeMap<u64, String>,
    /// Pull requests that have waited.
    released: BTreeSet<u64>,
}

impl Town {
    pub(crate) fn draw_gathering(&mut self) {
        self.gathering.wanted = self.prng.between(ENOUGH, ENOUGH + 2);
    }

    /// From now on the checks of so many run together.
    pub(crate) const fn gather(&mut self, count: u64) {
        self.gathering.wanted = count;
    }

    /// How the bot branch is protected that wants up-to-date heads; then nothing is tried together.
    pub(crate) fn strict_protection(&mut self, repo: &RepoName) -> Option<Protection> {
        let get = BranchCall::GetProtection { branch: BOT_BRANCH.to_owned() };
        let Some(Reply::Protection(protection)) = self.look(repo, get) else { return None };
        let is_strict = protection.required_checks.as_ref().is_some_and(|checks| checks.strict);
        is_strict.then_some(protection)
    }

    pub(crate) fn let_outdated_heads_in(&mut self, repo: &RepoName) {
        let Some(mut protection) = self.strict_protection(repo) else { return };
        protection.required_checks.iter_mut().for_each(|checks| checks.strict = false);
        let branch = BOT_BRANCH.to_owned();
        self.act(OWNER, repo, BranchCall::SetProtection { branch, protection });
    }

    pub(crate) fn had_trial(&self) -> bool {
        !self.ledger.trials.is_empty()
    }

    /// Are the checks of this head to wait for others?
    pub(crate) fn holds_back(&mut self, repo: &RepoName, sha: &str) -> bool {
        let is_first = self.repos.first() == Some(repo);
        if self.gathering.wanted == 0 || self.had_trial() || !is_first {
            return false;
        }
        let pull = sha.parse().ok().and_then(|head| self.pulls_by_head.get(&(repo.clone(), head)));
        let Some(number) = pull.copied() else { return false };
        if self.gathering.released.contains(&number) || self.is_red_one(repo, number) {
            return false;
        }
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else {
            return false;
        };
        let is_of_issue = view.summary.head.starts_with(ISSUE_BRANCHES);
        if !is_of_issue || self.strict_protection(repo).is_some() {
            return false;
        }
        if self.gathering.held.is_empty() {
            self.schedule.at(self.now.plus(WAIT_MAX), Event::ChecksRun);
        }
        self.gathering.held.insert(number, sha.to_owned());
        if self.gathering.held.len() as u64 >= self.gathering.wanted {
            self.schedule.after(self.now, 1, Event::ChecksRun);
        }
        true
    }

    /// Everybody who waits is done at the same time, and somebody has moved the bot branch on just before.
    pub(crate) fn run_held_checks(&mut self) {
        let Some(repo) = self.repos.first().cloned() else { return };
        let held = std::mem::take(&mut self.gathering.held);
        if held.is_empty() {
            return;
        }
        self.say(&format!("the checks of {} pull requests run together", held.len()));
        let text = format!("moved {}", self.prng.below(1_000_000));
        self.weather.count(Fault::PersonMovesBase);
        self.commit_by_hand(&repo, BOT_BRANCH, "docs.txt", &text);
        let delay = self.prng.between(5_000, 60_000);
        for (number, sha) in held {
            self.gathering.released.insert(number);
            for name in REQUIRED {
                let (repo, sha, name) = (repo.clone(), sha.clone(), name.to_owned());
                self.schedule.after(self.now, delay, Event::Check { repo, sha, name });
            }
        }
    }
}
