//! Promises about surveys: each proposal becomes one issue, and only small fixes are worked on.

use crate::oracle::Oracle;
use ralph_core::fact::{Answer, Outcome};
use ralph_core::ids::IssueKey;
use ralph_core::issue::Issue;
use ralph_core::job::{Role, Turn};
use ralph_core::repo::{FollowUpId, FollowUpKind};
use ralph_core::survey::ProposalKind;
use ralph_core::world::World;

impl Oracle {
    /// An issue that a survey proposed is not surveyed.
    pub(crate) fn judge_survey(&mut self, issue: &IssueKey, turn: &Turn) {
        let is_own = self.record.follow_ups.values().any(|own| own == issue);
        if turn.role == Role::Survey && is_own {
            self.broken("P1", format!("{issue} came of a survey, and is surveyed"));
        }
    }

    /// The end of a survey is news to Ralph.
    pub(crate) fn hear_survey(&mut self, issue: &IssueKey, outcome: &Outcome) {
        let surveys = self.record.surveys.entry(issue.clone()).or_insert(0);
        *surveys += 1;
        if *surveys > 1 {
            self.broken("P1", format!("{issue} was surveyed more than once"));
        }
        let Outcome::Turn { answer: Answer::Survey(proposals), .. } = outcome else { return };
        for proposal in proposals {
            let place = (issue.repo.clone(), FollowUpId::papercut(proposal));
            self.record.proposed.entry(place).or_insert(proposal.kind);
        }
    }

    /// A proposal of which no issue tells.
    pub(crate) fn untold_proposal(&self) -> Option<&FollowUpId> {
        let places = self.record.proposed.keys();
        let mut untold = places.filter(|place| !self.record.follow_ups.contains_key(place));
        untold.next().map(|(_, id)| id)
    }

    /// Does Ralph have to take up by itself what it has opened there?
    pub(crate) fn is_small_fix(&self, key: &IssueKey) -> bool {
        self.record.follow_ups.iter().any(|(place, own)| {
            own == key && self.record.proposed.get(place) == Some(&ProposalKind::Mechanical)
        })
    }

    /// At the end each proposal has its issue, and Ralph works on the small ones among them.
    pub(crate) fn judge_papercuts(&mut self, world: &World) {
        if let Some(id) = self.untold_proposal().cloned() {
            self.broken("P1", format!("no issue describes {id}"));
        }
        let papercuts = self.record.follow_ups.clone();
        for ((_, id), key) in
            papercuts.iter().filter(|((_, id), _)| id.kind == FollowUpKind::Papercut)
        {
            let issue = world.issue(key);
            let is_open = issue.is_none_or(Issue::is_open);
            let is_managed = issue.is_some_and(|issue| issue.managed.is_some());
            if is_managed != self.is_small_fix(key) && (is_managed || is_open) {
                let word = if is_managed { "is" } else { "is not" };
                self.broken("P1", format!("{key}, which describes {id}, {word} worked on"));
            }
        }
    }
}
