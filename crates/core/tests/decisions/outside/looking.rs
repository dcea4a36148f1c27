//! Common starting points of tests, and ways to inspect a story.

use super::changed;
use crate::story::{Story, Which};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Fact, What};
use ralph_core::ids::Login;
use ralph_core::issue::{Seen, Slot};
use ralph_core::job::Turn;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use std::collections::BTreeSet;

impl Story {
    /// Issue 7 has a pull request and waits for its checks, long enough for reads to show the push.
    pub(crate) fn at_checks() -> Self {
        let mut story = Self::plain();
        story.queued(7);
        story.reaches(7, Step::Implement);
        story.finishes(7, changed("a"));
        story.reaches(7, Step::Checks);
        story.passes(Span::from_mins(2));
        story
    }

    /// Returns the desired comment of this slot.
    pub(crate) fn wanted_comment(&self, of: &Slot) -> Option<String> {
        self.wanted().into_iter().find_map(|effect| {
            let Effect::Issue(
                _,
                IssueAct::CreateComment { slot, body } | IssueAct::EditComment { slot, body, .. },
            ) = effect
            else {
                return None;
            };
            (slot == *of).then_some(body)
        })
    }

    /// Ralph dies and starts the step again, which shows the job of its process, and that nothing is forgotten.
    pub(crate) fn told_again(&mut self, which: impl Which) -> Turn {
        let key = which.key();
        let attempt = self.managed(key.clone()).attempt;
        self.tell(&Fact::of(key, What::Interrupted { attempt }));
        let turn = self.wanted_turn().expect("a turn");
        self.settles();
        turn
    }
}

/// An open issue without labels, text or relations.
pub(super) fn unseen(number: u64) -> Seen {
    Seen {
        title: format!("Issue {number}").into(),
        open: true,
        author: Login::new("ann"),
        labels: BTreeSet::new(),
        body: Digest::of(""),
        blocked_by: Vec::new(),
        blocks: Vec::new(),
        manual_checks: Vec::new(),
        is_pull: Some(false),
        closed_by: None,
        follow_up: None,
        updated: Time(0),
        has_relations: false,
    }
}
