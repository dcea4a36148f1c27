//! Words in commit messages that the forge acts on: what agents write, what becomes of it on the way, and the promise
//! that nothing an agent wrote closes an issue or keeps checks from running.

use crate::bugs::Bug;
use crate::people::reference;
use crate::syncing::SYNC_BRANCHES;
use crate::town::{BOT_BRANCH, Town};
use crate::weather::Fault;
use ralph_core::defuse::defuse;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{Phase, StopReason};
use ralph_core::world::World;
use ralph_forge::{GitCall, IssueCall, Page, PullSummary, Reply, Sha, TimelineEvent};

/// How a message keeps GitHub's own checks from running.
const SKIPS: [&str; 5] = ["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"];
const KEYWORDS: [&str; 4] = ["Closes", "fixes:", "RESOLVED", "Fix"];

impl Town {
    /// The message of an agent's commit, as Ralph takes it over.
    pub(crate) fn message_of(&mut self, issue: &IssueKey, honest: &str) -> String {
        let Self { weather, prng, .. } = self;
        if !weather.strikes(Fault::AgentWritesWords, prng) {
            return honest.to_owned();
        }
        let message = match (self.prng.pick(&self.issues), self.prng.chance(750)) {
            (Some(other), true) => {
                let (keyword, other) = (self.prng.pick(&KEYWORDS), reference(&issue.repo, other));
                format!("{honest}\n\n{} {other}", keyword.copied().unwrap_or_default())
            }
            (None, _) | (Some(_), false) => {
                format!("{honest} {}", self.prng.pick(&SKIPS).copied().unwrap_or_default())
            }
        };
        if self.bug == Some(Bug::TakesWordsAsTheyAre) { message } else { defuse(&message) }
    }

    /// The message of a person's commit on a branch of Ralph's. Its words stay in it.
    pub(crate) fn message_by_hand(&mut self, key: &IssueKey) -> String {
        let honest = "A person's change";
        let other = self.prng.pick(&self.issues).filter(|other| *other != key).cloned();
        match other.filter(|_| self.prng.chance(300)) {
            Some(other) => format!("{honest}\n\nCloses {}", reference(&key.repo, &other)),
            None => honest.to_owned(),
        }
    }

    /// Does the message of this commit keep checks from running?
    pub(crate) fn skips_checks(&self, repo: &RepoName, head: &str) -> bool {
        let commit = head.parse().ok().and_then(|sha| self.forge().find_commit(repo.as_str(), sha));
        commit.is_some_and(|commit| {
            let message = commit.message.to_ascii_lowercase();
            SKIPS.iter().any(|skip| message.contains(skip))
        })
    }

    /// An issue was closed: did a commit close it that Ralph's own work brought?
    pub(crate) fn judge_closing(&mut self, key: &IssueKey) {
        let call = IssueCall::Events { number: key.number, page: Page::largest() };
        let Some(Reply::Timeline(events)) = self.look(&key.repo, call) else { return };
        let closed = events.items.iter().rev().find_map(|entry| match &entry.event {
            TimelineEvent::Closed { commit, .. } => Some(*commit),
            _other => None,
        });
        // A worktree that begins with what a person pushed has it from that person.
        let is_by_hand = |commit: &Sha| self.ledger.by_hand.contains(&commit.to_string());
        let by: Option<Sha> = closed.flatten().filter(|commit| !is_by_hand(commit));
        if let Some(commit) = by.filter(|commit| self.ledger.produced.contains(&commit.to_string()))
        {
            self.broken("D1", format!("{key} was closed by the words of {commit}"));
        }
    }

    /// Every stop is looked at when it comes, because what happens to the issue later is no cause of it.
    pub(crate) fn judge_stops(&mut self, world: &World) {
        for (key, issue) in world.issues() {
            let managed = issue.managed.as_deref();
            let closed = Phase::Stopped { why: StopReason::Closed };
            let Some(stopped) = managed.filter(|it| it.phase == closed) else { continue };
            if self.ledger.stops.insert((key.clone(), stopped.since)) {
                self.judge_stop(key);
            }
        }
    }

    /// Ralph has stopped this because it was closed: did a person close it, or was the cause kept from Ralph?
    fn judge_stop(&mut self, key: &IssueKey) {
        let call = IssueCall::Events { number: key.number, page: Page::largest() };
        let Some(Reply::Timeline(events)) = self.look(&key.repo, call) else { return };
        let closed = events.items.iter().rev().find_map(|entry| match &entry.event {
            TimelineEvent::Closed { commit, .. } => Some(*commit),
            _other => None,
        });
        let Some(sha) = closed.flatten() else { return };
        let is_own = |pull: &PullSummary| {
            let branch = pull.head.as_str();
            let is_made = branch.starts_with("ralph/") && !branch.starts_with(SYNC_BRANCHES);
            branch == BOT_BRANCH || is_made
        };
        // The commit may be one of another repository that Ralph works in.
        for repo in self.repos.clone() {
            let call = GitCall::PullsOfCommit { sha, page: Page::largest() };
            let Some(Reply::Pulls(pulls)) = self.look(&repo, call) else { continue };
            let is_known = !self.unreadable.kept_closer(key, &repo, sha);
            if is_known && pulls.items.iter().any(is_own) {
                self.broken("D1", format!("{key} was stopped because {sha} of Ralph's closed it"));
            }
        }
    }

    /// Ralph has pushed this: would its checks run?
    pub(crate) fn judge_wording(&mut self, repo: &RepoName, commit: Sha) {
        if self.skips_checks(repo, &commit.to_string()) {
            self.broken("D1", format!("{commit} keeps the checks of {repo} from running"));
        }
    }
}
