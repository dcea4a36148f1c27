//! Parent verification in the simulator: what agents say of issues whose children are resolved, and whether an issue
//! may be closed on that word.

use crate::bugs::Bug;
use crate::town::Town;
use crate::weather::Fault;
use crate::working::Ending;
use ralph_core::answer;
use ralph_core::fact::{Answer, Outcome};
use ralph_core::ids::IssueKey;
use ralph_core::job::Turn;
use ralph_core::routing::Confidence;

impl Town {
    /// Half of the parents have work of their own. Whoever verifies wrongly is unsure, shows too little, or says
    /// nothing that counts.
    pub(crate) fn verify(&mut self, issue: &IssueKey, turn: &Turn) -> Ending {
        self.ledger.verifications += 1;
        let children = turn.parent.iter().flat_map(|brief| &brief.children);
        let addresses: Vec<String> = children.flat_map(|it| it.addresses.clone()).collect();
        let Self { weather, prng, .. } = self;
        let remains = prng.chance(500);
        let honest = prng.pick(&addresses).cloned().unwrap_or_default();
        let (mut confidence, mut url) = ("high", honest.as_str());
        let mut prefix = "RALPH_PARENT_VERIFY:";
        // Parents are few, so it has to come often where there is one.
        if !weather.is_calm && prng.chance(400) {
            weather.count(Fault::AgentVerifiesWrongly);
            match prng.below(5) {
                0 => confidence = "low",
                1 => url = "somewhere",
                2 => url = "https://forge.example/acme/app/issues/987654",
                3 => url = "https://example.com/it/is/done",
                _ => prefix = "VERIFIED:",
            }
        }
        let told = if self.bug == Some(Bug::BelievesAnyAddress) { honest.as_str() } else { url };
        let response = format!(
            "I looked.\n{prefix} {{\"version\":1,\"work_remains\":{remains},\"reason\":\"because\",\
             \"confidence\":\"{confidence}\",\"checked\":[\"the children\"],\"why_satisfied\":\"they did it\",\
             \"evidence\":[{{\"url\":\"{told}\",\"note\":\"a child\"}}]}}\n"
        );
        let answer = answer::parent(&response);
        if let Answer::Parent(verdict) = &answer
            && !verdict.work_remains
            && verdict.is_strong()
            && url == honest
            && verdict.confidence >= Confidence::Medium
        {
            self.ledger.verified.insert(issue.clone());
        }
        (Outcome::Turn { answer, session: None, tokens: Some(200) }, Vec::new())
    }

    /// Did an agent find that nothing is left, and has a comment of Ralph's on the issue said so?
    pub(crate) fn is_verified(&self, key: &IssueKey) -> bool {
        self.ledger.verified.contains(key) && self.ledger.told_verified.contains(key)
    }
}
