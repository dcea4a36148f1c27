//! People who steer: messages to the agents that work on an issue, and comments on it.

use crate::schedule::Event;
use crate::world::{STRANGER, SimWorld, TRIAGER};
use ralph_core::ids::IssueKey;
use ralph_core::label::Status;
use ralph_forge::{CreateComment, EditComment};

/// The first words of everybody who steers.
pub(crate) const STEERING: &str = "Mind point";

impl SimWorld {
    /// The operator writes to the agents of an issue, of one that is worked on if there is any.
    pub(super) fn tell(&mut self, key: &IssueKey) {
        let (issue, text) = (self.under_way(key), self.words());
        self.schedule.after(self.clock.now(), 0, Event::Tells { issue, text });
    }

    /// A person with write access comments, and may add to it later.
    pub(super) fn steer(&mut self, key: &IssueKey) {
        let (issue, body, who) = (self.under_way(key), self.words(), self.forge.keeper());
        let call = CreateComment { number: issue.number, body: body.clone() };
        let Some(view) = self.act(who, &issue.repo, call) else { return };
        self.oracle.note_comment(&issue, body.clone());
        if self.prng.chance(300) {
            let body = format!("{body} And soon.");
            self.act(who, &issue.repo, EditComment { id: view.comment.id, body });
        }
    }

    /// A person without write access comments.
    pub(super) fn steer_as_a_stranger(&mut self, key: &IssueKey) {
        let (issue, body) = (self.under_way(key), self.words());
        let who = if self.prng.chance(500) { STRANGER } else { TRIAGER };
        self.oracle.record.strangers_words.insert(body.clone());
        self.act(who, &issue.repo, CreateComment { number: issue.number, body });
    }

    /// An issue that is worked on, if there is any.
    fn under_way(&mut self, or: &IssueKey) -> IssueKey {
        let mut under_way = self.people.issues.clone();
        under_way.retain(|key| self.forge.statuses_on(key).contains(&Status::InProgress));
        self.prng.pick(&under_way).unwrap_or(or).clone()
    }

    /// Words that nobody has said before.
    fn words(&mut self) -> String {
        format!("{STEERING} {} of mine.", self.prng.below(1_000_000_000))
    }
}
