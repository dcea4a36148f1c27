//! The process of an issue that is under way: the turn it takes, and who may be told something.

use super::{Managed, Phase};
use crate::ids::Attempt;
use crate::outage::TurnUnderWay;
use crate::role::Role;

impl Managed {
    /// Returns the step of this attempt, if it is an agent's turn that is under way.
    #[must_use]
    pub fn turn_under_way(&self, attempt: Attempt) -> Option<TurnUnderWay> {
        let work = self.work.as_ref().filter(|work| work.attempt == attempt)?;
        let is_at_step = self.phase == Phase::Running { step: work.step };
        let turn = || TurnUnderWay {
            step: work.step,
            account: work.account.clone().unwrap_or_default(),
            started: work.started,
            is_probe: work.is_probe,
        };
        (is_at_step && work.step.takes_turn()).then(turn)
    }

    /// True if the process of this attempt is the turn of an agent that people's messages reach.
    #[must_use]
    pub fn may_be_told(&self, attempt: Attempt) -> bool {
        let work = self.work.as_ref().filter(|work| work.attempt == attempt);
        let role = work.zip(self.run.as_ref()).and_then(|(work, run)| work.step.role(run.recipe));
        role.is_some_and(Role::takes_messages)
    }
}
