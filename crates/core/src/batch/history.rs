//! How trials went lately, and how many pull requests are therefore taken at once.

use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// Trials in a row that merge nothing before the guard steps in. Halving a batch of 50 down to its one bad member
/// takes six.
pub const BARREN_MAX: u32 = 7;

/// The pause between trials once the guard has stepped in: what makes them all fail may pass, and until then each
/// costs a run of CI.
pub const BARREN_PAUSE: Span = Span::from_mins(15);

/// One of ten is bad: what is assumed before anything is known.
const RATE_AT_FIRST_MILLI: u32 = 100;

/// How many of the latest members weigh in: enough to tell one bad day from one bad change.
const WINDOW: u32 = 16;

/// Up to which rate of bad ones, in thousandths, how many are taken at once: a power of two that pays off at that rate,
/// halving and the run of its own that each bad one costs included. Where two sizes cost nearly the same it is the smaller
/// one: the rate is known late, and a batch that is too large costs more than one that is too small.
const SIZES: [(u32, u32); 5] = [(25, 32), (50, 16), (100, 8), (140, 4), (180, 2)];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Of the latest members, how many were bad, in thousandths.
    rate_milli: u32,
    /// Trials since something was merged.
    barren: u32,
}

impl Default for History {
    fn default() -> Self {
        Self { rate_milli: RATE_AT_FIRST_MILLI, barren: 0 }
    }
}

impl History {
    /// How many are taken at once.
    #[must_use]
    pub fn size(&self, batch_max: u32) -> usize {
        let by_rate = SIZES.iter().find(|(rate, _)| self.rate_milli <= *rate);
        let size = if self.is_runaway() { 1 } else { by_rate.map_or(1, |(_, size)| *size) };
        usize::try_from(size.min(batch_max).max(1)).unwrap_or(usize::MAX)
    }

    /// Before this time no trial is begun; `ended` is when the last one came to its end.
    #[must_use]
    pub fn pause_until(&self, ended: Time) -> Option<Time> {
        self.is_runaway().then(|| ended.plus(BARREN_PAUSE))
    }

    pub(super) const fn is_runaway(&self) -> bool {
        self.barren >= BARREN_MAX
    }

    pub(super) fn tried(&mut self, has_merged: bool) {
        self.barren = if has_merged { 0 } else { self.barren.saturating_add(1) };
    }

    pub(super) fn member(&mut self, is_bad: bool) {
        let new = if is_bad { 1_000 } else { 0 };
        self.rate_milli = (self.rate_milli * (WINDOW - 1) + new) / WINDOW;
    }
}
