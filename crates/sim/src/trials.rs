//! Changes that Ralph tries together: how they are merged one onto the other here, what people do to a trial, and
//! the promises that a trial's members are merged as they were tried, and that nothing of it is left over.

use crate::schedule::Event;
use crate::town::{BOT_BRANCH, MAINTAINER, OWNER, Town, sha};
use crate::weather::Fault;
use ralph_core::ids::RepoName;
use ralph_engine::ports::Built;
use ralph_forge::{
    CloseReason, Content, MergeMethod, MergeOrder, Page, PullCall, PullEdit, PullFilter, PullView,
    Reply, Sha, StateChange, Trial,
};

/// What the branches of trials begin with.
pub(crate) const TRIAL_BRANCHES: &str = "ralph/trial/";

/// So many trials in a thousand are meddled with, while there are mishaps left for them.
const MEDDLED_PER_MILLE: u64 = 300;

/// A trial that Ralph opened a pull request for.
#[derive(Debug)]
pub(crate) struct Tried {
    repo: RepoName,
    head: Sha,
    /// Each member's head with the tree after it, in order.
    places: Vec<(Sha, String)>,
    /// The merge of a member gave something else than was tried.
    is_spoilt: bool,
    /// The commit by which a person squashed it.
    squashed: Option<Sha>,
}

impl Town {
    /// Merges heads onto a base as git would.
    pub(crate) fn build_trial(
        &mut self,
        repo: &RepoName,
        base: &ralph_core::ids::Sha,
        heads: &[&ralph_core::ids::Sha],
    ) -> Option<Built> {
        let mut commit: Sha = base.as_str().parse().ok()?;
        let mut trees = Vec::new();
        for head in heads {
            let head: Sha = head.as_str().parse().ok()?;
            let trial = self.forge_mut().trial_merge(repo.as_str(), commit, head).ok()?;
            let Trial::Clean(tree) = &*trial else {
                trees.push(None);
                continue;
            };
            let content = Content::Whole(*tree);
            commit = self.make_commit(repo, vec![commit, head], content, "Merge to be tried")?;
            trees.push(Some(tree.to_string()));
        }
        Some(Built { commit: sha(commit), trees })
    }

    /// Ralph opened a pull request for a trial: what is in it?
    pub(crate) fn note_trial(&mut self, repo: &RepoName, view: &PullView) {
        let (name, head) = (repo.as_str(), view.summary.head_sha);
        let mut places = Vec::new();
        let mut at = self.forge().find_commit(name, head);
        while let Some(commit) = at {
            let [before, member] = commit.parents.as_slice() else { break };
            let bot = self.forge().branch(name, BOT_BRANCH);
            if bot.is_some_and(|bot| self.forge().is_ancestor(name, commit.sha, bot)) {
                break;
            }
            places.insert(0, (*member, commit.tree.to_string()));
            at = self.forge().find_commit(name, *before);
        }
        let (repo, is_spoilt, squashed) = (repo.clone(), false, None);
        self.ledger.trials.push(Tried { repo, head, places, is_spoilt, squashed });
        if self.is_trial_struck(MEDDLED_PER_MILLE) {
            let after = self.prng.between(5_000, 300_000);
            self.schedule.after(self.now, after, Event::Visit(Fault::PersonMeddlesTrial));
        }
    }

    /// Trials take place late in a life, when the weather has cleared. So each life has a few mishaps for them
    /// alone, whenever they come.
    pub(crate) fn is_trial_struck(&mut self, per_mille: u64) -> bool {
        let strikes = self.trial_mishaps > 0 && self.prng.chance(per_mille);
        self.trial_mishaps -= u32::from(strikes);
        strikes
    }

    pub(crate) fn is_trial_head(&self, repo: &RepoName, head: Sha) -> bool {
        self.ledger.trials.iter().any(|tried| tried.repo == *repo && tried.head == head)
    }

    /// G6. A head that does not contain what it was merged into was tried with exactly that, and green; false if
    /// it was not.
    pub(crate) fn judge_tried(&mut self, repo: &RepoName, view: &PullView, is_news: bool) -> bool {
        let (name, head) = (repo.as_str(), view.summary.head_sha);
        let merge = view.summary.merged.as_ref().map(|merged| merged.commit);
        let merge = merge.and_then(|merge| self.forge().find_commit(name, merge));
        let Some(tree) = merge.map(|merge| merge.tree.to_string()) else { return false };
        let number = view.summary.issue.number;
        let required = self.required_checks(repo);
        for place in (0..self.ledger.trials.len()).rev() {
            let Some(tried) = self.ledger.trials.get(place) else { continue };
            let is_member = |(member, _): &&(Sha, String)| *member == head;
            let Some((_, expected)) = tried.places.iter().find(is_member) else { continue };
            if tried.repo != *repo {
                continue;
            }
            let (as_tried, is_spoilt, of) = (*expected == tree, tried.is_spoilt, tried.head);
            if !required.iter().all(|check| self.is_green(repo, of, check)) {
                continue;
            }
            if is_spoilt || (!as_tried && !is_news) {
                let detail =
                    format!("{repo}#{number} was merged otherwise than in the trial of {of}");
                self.broken("G6", detail);
            }
            if let Some(tried) = self.ledger.trials.get_mut(place) {
                tried.is_spoilt |= !as_tried;
            }
            return true;
        }
        false
    }

    /// Does a trial wait for this pull request to be merged?
    pub(crate) fn is_tried(&mut self, repo: &RepoName, number: u64) -> bool {
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else {
            return false;
        };
        let head = view.summary.head_sha;
        let mut members = self.ledger.trials.iter().flat_map(|tried| &tried.places);
        members.any(|(member, _)| *member == head)
    }

    pub(crate) fn open_trial(&mut self, repo: &RepoName) -> Option<PullView> {
        let call = PullCall::List { filter: PullFilter::default(), page: Page::largest() };
        let Some(Reply::Pulls(list)) = self.look(repo, call) else { return None };
        let mut trials = list.items.iter().filter(|pull| pull.head.starts_with(TRIAL_BRANCHES));
        let number = trials.next()?.issue.number;
        match self.look(repo, PullCall::Get { number }) {
            Some(Reply::Pull(view)) => Some(*view),
            _other => None,
        }
    }

    /// The commit by which a person squashed a trial that this head was part of.
    pub(crate) fn squashed_with_its_trial(&mut self, repo: &RepoName, head: Sha) -> Option<Sha> {
        let tried = self.ledger.trials.iter().filter(|tried| tried.repo == *repo);
        let mut of = tried.filter(|tried| tried.places.iter().any(|(member, _)| *member == head));
        of.find_map(|tried| tried.squashed)
    }

    /// Somebody closes a trial, pushes to it, or merges it, unless that would break the bot branch for everybody.
    pub(crate) fn meddle_with_trial(&mut self, repo: &RepoName) {
        let Some(view) = self.open_trial(repo) else { return };
        let number = view.summary.issue.number;
        match self.prng.below(3) {
            0 => {
                let state = Some(StateChange::Close(CloseReason::NotPlanned));
                let edit = PullEdit { state, ..PullEdit::default() };
                self.act(MAINTAINER, repo, PullCall::Edit { number, edit });
            }
            1 => {
                self.commit_by_hand(repo, &view.summary.head, "by-hand.txt", "tried by hand");
            }
            _merge => {
                let head = view.summary.head_sha;
                let mut files = self.files_at(repo, head);
                let is_broken = files.any(|(_, text)| text.contains("broken"));
                drop(files);
                if !is_broken {
                    self.act(OWNER, repo, PullCall::SetDraft { number, draft: false });
                    let is_squash = self.prng.chance(500);
                    let method = if is_squash { MergeMethod::Squash } else { MergeMethod::Merge };
                    let order = MergeOrder { method, expected_head: None, message: None };
                    self.act(OWNER, repo, PullCall::Merge { number, order });
                    if is_squash {
                        self.note_squash(repo, number, head);
                    }
                }
            }
        }
    }

    /// Its members' own pull requests stay open: only the trial itself tells where they are.
    fn note_squash(&mut self, repo: &RepoName, number: u64, head: Sha) {
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        let Some(commit) = view.summary.merged.as_ref().map(|merged| merged.commit) else { return };
        self.weather.count(Fault::TrialSquashed);
        let trials = self.ledger.trials.iter_mut();
        for tried in trials.filter(|tried| tried.repo == *repo && tried.head == head) {
            tried.squashed = Some(commit);
        }
    }

    /// L3. Nothing of a trial is left once it is over.
    pub(crate) fn leftover_trial(&mut self) -> Option<String> {
        for repo in self.repos.clone() {
            let names: Vec<_> =
                self.forge().branches(repo.as_str()).map(|(name, _)| name.to_owned()).collect();
            let left = names.into_iter().find(|name| name.starts_with(TRIAL_BRANCHES));
            if left.is_some() {
                return left;
            }
            if let Some(view) = self.open_trial(&repo) {
                return Some(format!("{repo}#{}", view.summary.issue.number));
            }
        }
        None
    }

    /// Somebody moves the bot branch on between Ralph's last look at it and the merge of what was tried.
    pub(crate) fn move_bot_at_the_last_moment(&mut self, repo: &RepoName) {
        let text = format!("moved {}", self.prng.below(1_000_000));
        self.say(&format!("people: move the bot branch of {repo} at the last moment"));
        self.commit_by_hand(repo, BOT_BRANCH, "docs.txt", &text);
    }
}
