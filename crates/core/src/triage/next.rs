//! The next action for a red check: the contract's resume, spawn or quarantine.

use super::{Class, Triage};
use crate::ids::{RunId, Sha};
use crate::rerun::Rerunnable;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    /// The same session in the same worktree gets the excerpt.
    Resume,
    /// A dedicated run repairs the check.
    Spawn,
    /// The failed check is rerun alone, before any agent is started.
    Quarantine,
}

/// A red check of an issue that was read, and the next action for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triaged {
    pub run: RunId,
    pub head: Sha,
    #[serde(flatten)]
    pub triage: Triage,
    /// The check run or job that can be rerun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Rerunnable>,
    /// Read after the check was rerun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rerun: bool,
    pub next: NextAction,
}

impl NextAction {
    /// Returns the next action. Only a regression on the first attempt is resumed. A possible flake or fault of the
    /// machine is rerun, if the forge can; if it stays red on the same head, it was neither.
    #[must_use]
    pub const fn after(class: Class, may_rerun: bool, is_first: bool) -> Self {
        match class {
            Class::Flake | Class::Infra if may_rerun => Self::Quarantine,
            Class::Regression if is_first => Self::Resume,
            Class::Flake | Class::Infra | Class::Regression => Self::Spawn,
        }
    }
}

impl Triaged {
    #[must_use]
    pub fn check(&self) -> &str {
        &self.triage.signature.check
    }

    /// True if the previous attempt ended with the same failure, so that another would do no better.
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
        let (of, is_rerun) = (None, false);
        Triaged { run: RUN, head: Sha::new(head), triage, of, is_rerun, next }
    }

    #[test]
    fn each_class_leads_where_the_contract_says() {
        use Class::{Flake, Infra, Regression};
        use NextAction::{Quarantine, Resume, Spawn};
        for (class, may_rerun, is_first, expected) in [
            (Regression, true, true, Resume),
            (Regression, false, true, Resume),
            (Regression, true, false, Spawn),
            (Flake, true, true, Quarantine),
            (Infra, true, false, Quarantine),
            (Flake, false, true, Spawn),
            (Infra, false, true, Spawn),
        ] {
            assert_eq!(NextAction::after(class, may_rerun, is_first), expected, "{class:?}");
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
