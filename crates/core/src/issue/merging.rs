//! Where an issue stands among those that are ready to be merged.

use super::{Managed, Phase};
use crate::steps::Step;
use crate::time::Time;

impl Managed {
    /// Has everything but the merge behind it.
    #[must_use]
    pub const fn is_at_merge(&self) -> bool {
        matches!(self.phase, Phase::Running { step: Step::Merge }) && !self.is_paused
    }

    /// Until when others of its repository let it go first. Not for an agent's work: that may take long.
    #[must_use]
    pub fn turn_until(&self) -> Option<Time> {
        let is_going_on = matches!(self.phase, Phase::Running { .. }) && !self.is_paused;
        let run = self.run.as_ref().filter(|run| is_going_on && run.feedback.is_none());
        run.and_then(|run| run.turn_until)
    }
}
