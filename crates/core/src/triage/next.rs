//! What to do about a red check: the contract's resume, spawn or quarantine.

use super::Class;
use crate::ids::Sha;
use crate::signature::Signature;
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

/// A red check of this issue that was read before, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    pub head: Sha,
    pub signature: Signature,
    pub next: NextAction,
}

/// Resume only for a regression on the first attempt. What looks like a flake or like the machine's fault is
/// run once more; if it stays red on the same head, it was neither.
#[must_use]
pub fn next_action(
    class: Class,
    head: &Sha,
    signature: &Signature,
    earlier: &[Earlier],
) -> NextAction {
    let is_rerun = |one: &Earlier| {
        one.next == NextAction::Quarantine
            && one.head == *head
            && one.signature.check == signature.check
    };
    let is_repair = |one: &Earlier| one.next != NextAction::Quarantine;
    match class {
        Class::Flake | Class::Infra if !earlier.iter().any(is_rerun) => NextAction::Quarantine,
        Class::Regression if !earlier.iter().any(is_repair) => NextAction::Resume,
        Class::Flake | Class::Infra | Class::Regression => NextAction::Spawn,
    }
}

/// Did the attempt before end with the same failure? Then one more will do no better.
#[must_use]
pub fn repeats(signature: &Signature, earlier: &[Earlier]) -> bool {
    let is_attempt = |one: &&Earlier| {
        one.next != NextAction::Quarantine && one.signature.check == signature.check
    };
    earlier.iter().rfind(is_attempt).is_some_and(|last| last.signature == *signature)
}

#[cfg(test)]
mod tests {
    use super::super::{RedCheck, triage};
    use super::*;

    fn seen(head: &str, message: &str, next: NextAction) -> Earlier {
        let signature =
            triage(&RedCheck { name: "ci", conclusion: "failure", log: message }).signature;
        Earlier { head: Sha::new(head), signature, next }
    }

    #[test]
    fn each_class_leads_where_the_contract_says() {
        use Class::{Flake, Infra, Regression};
        use NextAction::{Quarantine, Resume, Spawn};
        let (rerun, repaired) = (seen("a", "x", Quarantine), seen("a", "x", Resume));
        for (class, earlier, expected) in [
            (Regression, vec![], Resume),
            (Regression, vec![rerun.clone()], Resume),
            (Regression, vec![repaired.clone()], Spawn),
            (Flake, vec![], Quarantine),
            (Infra, vec![repaired], Quarantine),
            (Flake, vec![rerun.clone()], Spawn),
            (Infra, vec![rerun], Spawn),
            (Flake, vec![seen("b", "x", Quarantine)], Quarantine),
        ] {
            let signature = seen("a", "x", Resume).signature;
            let next = next_action(class, &Sha::new("a"), &signature, &earlier);
            assert_eq!(next, expected, "{class:?} after {earlier:?}");
        }
    }

    #[test]
    fn only_the_attempt_before_can_be_repeated() {
        use NextAction::{Quarantine, Resume, Spawn};
        let now = seen("c", "error: x", Spawn).signature;
        for (earlier, expected) in [
            (vec![], false),
            (vec![seen("a", "error: x", Resume)], true),
            (vec![seen("a", "error: x", Quarantine)], false),
            (vec![seen("a", "error: x", Resume), seen("b", "error: y", Spawn)], false),
            (vec![seen("a", "error: y", Resume), seen("b", "error: x", Spawn)], true),
        ] {
            assert_eq!(repeats(&now, &earlier), expected, "{earlier:?}");
        }
    }
}
