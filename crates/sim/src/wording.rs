//! Words in commit messages that the forge acts on: what agents write, what becomes of it on the way, and the promise
//! that nothing an agent wrote closes an issue or keeps checks from running.

use crate::bugs::Bug;
use crate::people::reference;
use crate::town::Town;
use crate::weather::Fault;
use ralph_core::defuse::defuse;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_forge::{IssueCall, Page, Reply, Sha, TimelineEvent};

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
        let by: Option<Sha> = closed.flatten();
        if let Some(commit) = by.filter(|commit| self.ledger.produced.contains(&commit.to_string()))
        {
            self.broken("D1", format!("{key} was closed by the words of {commit}"));
        }
    }

    /// Ralph has pushed this: would its checks run?
    pub(crate) fn judge_wording(&mut self, repo: &RepoName, commit: Sha) {
        if self.skips_checks(repo, &commit.to_string()) {
            self.broken("D1", format!("{commit} keeps the checks of {repo} from running"));
        }
    }
}
