//! Applies a changed policy: reads and decides again whatever it may affect.

use crate::agenda::Hint;
use crate::engine::{Engine, EngineError};
use crate::transaction::Input;
use ralph_core::ids::RepoName;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::time::Time;
use ralph_core::world::Touched;

impl Engine {
    /// Applies another policy.
    pub fn set_policy(&mut self, now: Time, policy: Policy) -> Result<(), EngineError> {
        self.agenda.set_poll_interval(now, policy.poll_interval);
        let before = std::mem::replace(&mut self.policy, policy);
        // Another bot branch has another head.
        let is_new =
            |(name, rules): &(&RepoName, &RepoPolicy)| before.repos.get(*name) != Some(rules);
        for (name, _) in self.policy.repos.iter().filter(is_new) {
            self.agenda.hint(now, &Hint::Branches(name.clone()));
        }
        let mut also = self.everything();
        also.repos.extend(before.repos.into_keys());
        self.transact(now, Input { also, ..Input::default() })
    }

    /// Everything that the current policy may affect, and everything that an earlier one did.
    pub(crate) fn everything(&self) -> Touched {
        let mut all = self.world.everything(&self.policy);
        all.repos.extend(self.policy.repos.keys().cloned());
        all.issues.extend(self.standings.keys().filter_map(|of| of.issue().cloned()));
        all
    }
}
