//! What to do about a red check: the contract's resume, spawn or quarantine.

use super::{Class, Triage};
use crate::ids::{RunId, Sha};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    /// The same session in the same worktree gets the excerpt.
    Resume,
    /// A dedicated run makes the check green.
    Spawn,
    /// The failed check alone is run once more, before any agent is started.
    Quarantine,
}

/// A red check of an issue that was read, and what should come of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triaged {
    pub run: RunId,
    pub head: Sha,
    #[serde(flatten)]
    pub triage: Triage,
    pub next: NextAction,
}

impl Triaged {
    /// Decides what comes next, given the red checks of this issue that were read before, and whether no repair
    /// was tried since it was last queued.
    ///
    /// Resume only for a regression on the first attempt. What looks like a flake or like the machine's fault
    /// is run once more; if it stays red on the same head, it was neither.
    #[must_use]
    pub fn decide(run: RunId, head: Sha, triage: Triage, earlier: &[Self], is_first: bool) -> Self {
        let check = &triage.signature.check;
        let is_rerun = |one: &Self| {
            one.next == NextAction::Quarantine && one.head == head && one.check() == check
        };
        let next = match triage.classified.class {
            Class::Flake | Class::Infra if !earlier.iter().any(is_rerun) => NextAction::Quarantine,
            Class::Regression if is_first => NextAction::Resume,
            Class::Flake | Class::Infra | Class::Regression => NextAction::Spawn,
        };
        Self { run, head, triage, next }
    }

    #[must_use]
    pub fn check(&self) -> &str {
        &self.triage.signature.check
    }

    /// Did the attempt before end with the same failure? Then one more will do no better.
    #[must_use]
    pub fn repeats(&self, earlier: &[Self]) -> bool {
        let is_attempt =
            |one: &&Self| one.next != NextAction::Quarantine && one.check() == self.check();
        let last = earlier.iter().rfind(is_attempt);
        last.is_some_and(|last| last.triage.signature == self.triage.signature)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RedCheck, triage};
    use super::*;

    const RUN: RunId = RunId { issue: 7, run: 1 };

    fn seen(head: &str, log: &str, next: NextAction) -> Triaged {
        let triage = triage(&RedCheck { name: "ci", conclusion: "failure", log });
        Triaged { run: RUN, head: Sha::new(head), triage, next }
    }

    #[test]
    fn each_class_leads_where_the_contract_says() {
        use Class::{Flake, Infra, Regression};
        use NextAction::{Quarantine, Resume, Spawn};
        let rerun = seen("a", "x", Quarantine);
        for (class, earlier, is_first, expected) in [
            (Regression, vec![], true, Resume),
            (Regression, vec![rerun.clone()], true, Resume),
            (Regression, vec![], false, Spawn),
            (Flake, vec![], true, Quarantine),
            (Infra, vec![], false, Quarantine),
            (Flake, vec![rerun.clone()], true, Spawn),
            (Infra, vec![rerun], true, Spawn),
            (Flake, vec![seen("b", "x", Quarantine)], true, Quarantine),
        ] {
            let mut triage = seen("a", "x", Resume).triage;
            triage.classified.class = class;
            let decided = Triaged::decide(RUN, Sha::new("a"), triage, &earlier, is_first);
            assert_eq!(decided.next, expected, "{class:?} after {earlier:?}");
        }
    }

    #[test]
    fn only_the_attempt_before_can_be_repeated() {
        use NextAction::{Quarantine, Resume, Spawn};
        let now = seen("c", "error: x", Spawn);
        for (earlier, expected) in [
            (vec![], false),
            (vec![seen("a", "error: x", Resume)], true),
            (vec![seen("a", "error: x", Quarantine)], false),
            (vec![seen("a", "error: x", Resume), seen("b", "error: y", Spawn)], false),
            (vec![seen("a", "error: y", Resume), seen("b", "error: x", Spawn)], true),
        ] {
            assert_eq!(now.repeats(&earlier), expected, "{earlier:?}");
        }
    }
}
