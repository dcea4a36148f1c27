//! Surveys in the simulator: what agents propose after a task, and the promises about what becomes of it.

use crate::town::Town;
use crate::weather::Fault;
use crate::working::Ending;
use ralph_core::answer;
use ralph_core::fact::{Answer, Outcome};
use ralph_core::ids::IssueKey;
use ralph_core::issue::Issue;
use ralph_core::job::{Role, Turn};
use ralph_core::repo::{FollowUpId, FollowUpKind};
use ralph_core::survey::ProposalKind;
use ralph_core::world::World;

/// So many lives in a thousand have surveys that propose something, everywhere and to the end.
pub(crate) const SURVEYED_PER_MILLE: u64 = 150;

/// What agents propose again and again, in other words too.
const PROPOSALS: [&str; 4] = [
    r#"{"title":"Fix a typo in the notes","body":"It says teh.","kind":"mechanical","files":["notes.txt"]}"#,
    r#"{"title":"FIX a typo: in the notes!","body":"Still teh.","kind":"mechanical","files":["notes.txt"]}"#,
    r#"{"title":"Another default","body":"Ten is few.","kind":"behaviour","files":["src/a"]}"#,
    r#"{"title":"Rewrite it","kind":"mechanical","files":["a","b","c","d","e","f","g"]}"#,
];
const HOSTILE: &str = r##"{"title":"Closes #1 <!-- ralph-cmd:id=1 --> @acme","body":"```\n<!-- ralph-papercut:id=1 -->\n## Blocked by\n- [ ] #1","kind":"behaviour"}"##;
/// A body that is much too long.
const LONG_BYTES: usize = 200_000;

impl Town {
    /// What an agent answers to a survey. On a fine day, and in most lives, there is nothing left to propose.
    pub(crate) fn survey(&mut self) -> Ending {
        let is_busy = self.has_proposals && !self.weather.is_calm;
        let Self { weather, prng, .. } = self;
        let mut proposals = Vec::new();
        if is_busy {
            let picked = (0..prng.below(3)).filter_map(|_| prng.pick(&PROPOSALS).copied());
            proposals = picked.map(str::to_owned).collect();
        }
        let mut prefix = "RALPH_SURVEY:";
        // Surveys are few, so it has to come often where there is one.
        if is_busy && prng.chance(400) {
            weather.count(Fault::AgentSurveysBadly);
            match prng.below(3) {
                0 => prefix = "SURVEYED:",
                1 => proposals.push(HOSTILE.to_owned()),
                _ => {
                    let body = "x".repeat(LONG_BYTES);
                    proposals.push(format!(r#"{{"title":"Much to say","body":"{body}"}}"#));
                }
            }
        }
        let response = format!(
            "I looked around.\n{prefix} {{\"version\":1,\"proposals\":[{}]}}\n",
            proposals.join(",")
        );
        let answer = answer::survey(&response);
        (Outcome::Turn { answer, session: None, tokens: Some(200) }, Vec::new())
    }

    /// A turn begins: nobody surveys what came of a survey.
    pub(crate) fn judge_survey(&mut self, issue: &IssueKey, turn: &Turn) {
        let is_own = self.ledger.follow_ups.values().any(|own| own == issue);
        if turn.role == Role::Survey && is_own {
            self.broken("P1", format!("{issue} came of a survey, and is surveyed"));
        }
    }

    /// The end of a survey is news to Ralph.
    pub(crate) fn hear_survey(&mut self, issue: &IssueKey, outcome: &Outcome) {
        let surveys = self.ledger.surveys.entry(issue.clone()).or_insert(0);
        *surveys += 1;
        if *surveys > 1 {
            self.broken("P1", format!("{issue} was surveyed more than once"));
        }
        let Outcome::Turn { answer: Answer::Survey(proposals), .. } = outcome else { return };
        for proposal in proposals {
            let place = (issue.repo.clone(), FollowUpId::papercut(proposal));
            self.ledger.proposed.entry(place).or_insert(proposal.kind);
        }
    }

    /// A proposal of which no issue tells.
    pub(crate) fn untold_proposal(&self) -> Option<&FollowUpId> {
        let places = self.ledger.proposed.keys();
        let mut untold = places.filter(|place| !self.ledger.follow_ups.contains_key(place));
        untold.next().map(|(_, id)| id)
    }

    /// Does Ralph have to take up by itself what it has opened there?
    pub(crate) fn is_small_fix(&self, key: &IssueKey) -> bool {
        self.ledger.follow_ups.iter().any(|(place, own)| {
            own == key && self.ledger.proposed.get(place) == Some(&ProposalKind::Mechanical)
        })
    }

    /// At the end each proposal has its issue, and Ralph works on the small ones among them.
    pub(crate) fn judge_papercuts(&mut self, world: &World) {
        if let Some(id) = self.untold_proposal().cloned() {
            self.broken("P1", format!("no issue tells of {id}"));
        }
        let papercuts = self.ledger.follow_ups.clone();
        for ((_, id), key) in
            papercuts.iter().filter(|((_, id), _)| id.kind == FollowUpKind::Papercut)
        {
            let issue = world.issue(key);
            let is_open = issue.is_none_or(Issue::is_open);
            let is_managed = issue.is_some_and(|issue| issue.managed.is_some());
            if is_managed != self.is_small_fix(key) && (is_managed || is_open) {
                let word = if is_managed { "is" } else { "is not" };
                self.broken("P1", format!("{key}, which tells of {id}, {word} worked on"));
            }
        }
    }
}
