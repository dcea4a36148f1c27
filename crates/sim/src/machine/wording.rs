//! Words in commit messages that the forge acts on: what agents write, what becomes of it on the way, and the promise
//! that nothing an agent wrote closes an issue or keeps checks from running.

use crate::bugs::Bug;
use crate::faults::Fault;
use crate::people::reference;
use crate::world::SimWorld;
use ralph_core::defuse::defuse;
use ralph_core::ids::IssueKey;

/// Words in a message that keep GitHub's own checks from running.
pub(crate) const SKIPS: [&str; 5] =
    ["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"];
const KEYWORDS: [&str; 4] = ["Closes", "fixes:", "RESOLVED", "Fix"];

impl SimWorld {
    /// The message of an agent's commit, as Ralph takes it over.
    pub(crate) fn message_of(&mut self, issue: &IssueKey, honest: &str) -> String {
        let Self { faults, prng, .. } = self;
        if !faults.strikes(Fault::AgentWritesWords, prng) {
            return honest.to_owned();
        }
        let message = match (self.prng.pick(&self.people.issues), self.prng.chance(750)) {
            (Some(other), true) => {
                let (keyword, other) = (self.prng.pick(&KEYWORDS), reference(&issue.repo, other));
                format!("{honest}\n\n{} {other}", keyword.copied().unwrap_or_default())
            }
            (None, _) | (Some(_), false) => {
                format!("{honest} {}", self.prng.pick(&SKIPS).copied().unwrap_or_default())
            }
        };
        if self.faults.bug == Some(Bug::TakesWordsAsTheyAre) { message } else { defuse(&message) }
    }

    /// The message of a person's commit on a branch of Ralph's. Its words stay in it.
    pub(crate) fn message_by_hand(&mut self, key: &IssueKey) -> String {
        let honest = "A person's change";
        let other = self.prng.pick(&self.people.issues).filter(|other| *other != key).cloned();
        match other.filter(|_| self.prng.chance(300)) {
            Some(other) => format!("{honest}\n\nCloses {}", reference(&key.repo, &other)),
            None => honest.to_owned(),
        }
    }
}
