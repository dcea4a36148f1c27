//! Simulated agents that do not get anywhere, and are ended for it.

use crate::faults::Fault;
use crate::world::SimWorld;
use ralph_core::job::Turn;
use ralph_core::stall::Stall;
use ralph_core::time::Span;

/// In a thousand, for an agent that stalled in its last turn.
const STALLS_AGAIN: u64 = 400;

impl SimWorld {
    /// Draws whether this turn stalls. A turn that stalled once is likely to stall again, so that the ladder is
    /// climbed to its end.
    pub(crate) fn stalls(&mut self, turn: &Turn) -> bool {
        let Self { faults, prng, .. } = self;
        let again = turn.stalled.is_some() && !faults.is_calm && prng.chance(STALLS_AGAIN);
        if again {
            faults.count(Fault::AgentStalls);
        }
        again || faults.strikes(Fault::AgentStalls, prng)
    }

    pub(crate) fn seen_of_stall(&mut self) -> Stall {
        let limit = Span::from_mins(5);
        match self.prng.below(5) {
            0 => Stall::Idle { limit },
            1 => Stall::HungTool { name: "make".to_owned(), limit },
            2 => Stall::EditLoop { file: "src/thing.txt".to_owned(), edits: 40 },
            3 => Stall::RepeatedOutput { limit },
            _ => Stall::RunawayOutput { bytes: 1_000_000 },
        }
    }
}
