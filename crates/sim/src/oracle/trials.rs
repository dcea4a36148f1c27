//! Changes that Ralph tries together: how they are merged one onto the other here, what people do to a trial, and
//! the promises that a trial's members are merged as they were tried, and that nothing of it is left over.

use crate::faults::Fault;
use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use crate::schedule::Event;
use crate::world::{BOT_BRANCH, SimWorld};
use ralph_core::ids::RepoName;
use ralph_forge::{GetPull, PullView, Sha};

/// The prefix of trial branches.
pub(crate) const TRIAL_BRANCHES: &str = "ralph/trial/";

/// So many trials in a thousand are meddled with, while there are mishaps left for them.
const MEDDLED_PER_MILLE: u64 = 300;

/// A trial that Ralph opened a pull request for.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) repo: RepoName,
    pub(crate) head: Sha,
    /// Each member's head with the tree after it, in order.
    places: Vec<(Sha, String)>,
    /// The merge of a member gave something else than was tried.
    is_spoilt: bool,
    /// The commit by which a person squashed it.
    pub(crate) squashed: Option<Sha>,
}

impl SimWorld {
    /// Ralph opened a pull request for a trial: what is in it?
    pub(crate) fn note_trial(&mut self, repo: &RepoName, view: &PullView) {
        let (name, head) = (repo.as_str(), view.summary.head_sha);
        let mut places = Vec::new();
        let mut at = self.forge.model().find_commit(name, head);
        while let Some(commit) = at {
            let [before, member] = commit.parents.as_slice() else { break };
            let bot = self.forge.model().branch(name, BOT_BRANCH);
            if bot.is_some_and(|bot| self.forge.model().is_ancestor(name, commit.sha, bot)) {
                break;
            }
            places.insert(0, (*member, commit.tree.to_string()));
            at = self.forge.model().find_commit(name, *before);
        }
        let (repo, is_spoilt, squashed) = (repo.clone(), false, None);
        self.oracle.record.trials.push(Tried { repo, head, places, is_spoilt, squashed });
        if self.strikes_trial(MEDDLED_PER_MILLE) {
            let after = self.prng.between(5_000, 300_000);
            self.schedule.after(self.clock.now(), after, Event::Visit(Fault::PersonMeddlesTrial));
        }
    }
}

impl Oracle {
    pub(crate) fn is_trial_head(&self, repo: &RepoName, head: Sha) -> bool {
        self.record.trials.iter().any(|tried| tried.repo == *repo && tried.head == head)
    }

    /// G6. A head that does not contain what it was merged into was tried with exactly that, and green; false if
    /// it was not.
    pub(crate) fn judge_tried(
        &mut self,
        forge: &mut ForgeSide,
        repo: &RepoName,
        view: &PullView,
        is_news: bool,
    ) -> bool {
        let (name, head) = (repo.as_str(), view.summary.head_sha);
        let merge = view.summary.merged.as_ref().map(|merged| merged.commit);
        let merge = merge.and_then(|merge| forge.model().find_commit(name, merge));
        let Some(tree) = merge.map(|merge| merge.tree.to_string()) else { return false };
        let number = view.summary.issue.number;
        let required = forge.required_checks(repo);
        for place in (0..self.record.trials.len()).rev() {
            let Some(tried) = self.record.trials.get(place) else { continue };
            let is_member = |(member, _): &&(Sha, String)| *member == head;
            let Some((_, expected)) = tried.places.iter().find(is_member) else { continue };
            if tried.repo != *repo {
                continue;
            }
            let (as_tried, is_spoilt, of) = (*expected == tree, tried.is_spoilt, tried.head);
            if !required.iter().all(|check| forge.is_green(repo, of, check)) {
                continue;
            }
            if is_spoilt || (!as_tried && !is_news) {
                let detail =
                    format!("{repo}#{number} was merged otherwise than in the trial of {of}");
                self.broken("G6", detail);
            }
            if let Some(tried) = self.record.trials.get_mut(place) {
                tried.is_spoilt |= !as_tried;
            }
            return true;
        }
        false
    }

    /// Does a trial wait for this pull request to be merged?
    pub(crate) fn is_tried(&self, forge: &mut ForgeSide, repo: &RepoName, number: u64) -> bool {
        let Some(view) = forge.look(repo, GetPull { number }) else {
            return false;
        };
        let head = view.summary.head_sha;
        let mut members = self.record.trials.iter().flat_map(|tried| &tried.places);
        members.any(|(member, _)| *member == head)
    }

    /// The commit by which a person squashed a trial that this head was part of.
    pub(crate) fn squashed_with_its_trial(&mut self, repo: &RepoName, head: Sha) -> Option<Sha> {
        let tried = self.record.trials.iter().filter(|tried| tried.repo == *repo);
        let mut of = tried.filter(|tried| tried.places.iter().any(|(member, _)| *member == head));
        of.find_map(|tried| tried.squashed)
    }

    pub(crate) fn had_trial(&self) -> bool {
        !self.record.trials.is_empty()
    }

    pub(crate) fn is_trial(&self, repo: &RepoName, sha: &str) -> bool {
        sha.parse().is_ok_and(|head| self.is_trial_head(repo, head))
    }
}
