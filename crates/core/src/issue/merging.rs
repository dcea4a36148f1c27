//! The state of an issue that is ready to be merged.

use super::{Managed, Phase};
use crate::steps::Step;
use crate::time::Time;

impl Managed {
    /// True if only the merge is left.
    #[must_use]
    pub const fn is_at_merge(&self) -> bool {
        matches!(self.phase, Phase::Running { step: Step::Merge }) && !self.is_paused
    }

    /// The time until which it holds the merge slot. While an agent works it holds none: that may take long.
    #[must_use]
    pub fn slot_until(&self) -> Option<Time> {
        let is_going_on = matches!(self.phase, Phase::Running { .. }) && !self.is_paused;
        let run = self.run.as_ref().filter(|run| is_going_on && run.feedback.is_none());
        run.and_then(|run| run.slot_until)
    }
}
