//! Parent verification in the simulator: what agents say of issues whose children are resolved, and whether an issue
//! may be closed on that word.

use crate::bugs::Bug;
use crate::faults::Fault;
use crate::machine::working::Ending;
use crate::world::SimWorld;
use ralph_core::answer;
use ralph_core::fact::{Answer, Outcome};
use ralph_core::ids::IssueKey;
use ralph_core::job::Turn;
use ralph_core::routing::Confidence;
use ralph_core::turn_end::Usage;

impl SimWorld {
    /// Half of the parents still have work to do. A wrong verification is unsure, shows too little, or says nothing
    /// that counts.
    pub(crate) fn verify(&mut self, issue: &IssueKey, turn: &Turn) -> Ending {
        self.oracle.record.verifications += 1;
        let children = turn.parent.iter().flat_map(|brief| &brief.children);
        let addresses: Vec<String> = children.flat_map(|it| it.addresses.clone()).collect();
        let Self { faults, prng, .. } = self;
        let remains = prng.chance(500);
        let honest = prng.pick(&addresses).cloned().unwrap_or_default();
        let (mut confidence, mut url) = ("high", honest.as_str());
        let mut prefix = "RALPH_PARENT_VERIFY:";
        // Parents are few, so it has to come often where there is one.
        if !faults.is_calm && prng.chance(400) {
            faults.count(Fault::AgentVerifiesWrongly);
            match prng.below(5) {
                0 => confidence = "low",
                1 => url = "somewhere",
                2 => url = "https://forge.example/acme/app/issues/987654",
                3 => url = "https://example.com/it/is/done",
                _ => prefix = "VERIFIED:",
            }
        }
        let told =
            if self.faults.bug == Some(Bug::BelievesAnyAddress) { honest.as_str() } else { url };
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
            self.oracle.record.verified.insert(issue.clone());
        }
        (Outcome::Turn { answer, session: None, usage: Usage::total(200) }, Vec::new())
    }
}
