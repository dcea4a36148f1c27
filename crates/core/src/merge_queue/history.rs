//! The results of recent trial builds, which decide how many pull requests are tested together.

use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// The number of trial builds in a row that merge nothing before the guard steps in. Halving 50 entries down to the one
/// bad entry takes six.
pub const BARREN_MAX: u32 = 7;

/// The pause between trial builds once the guard has stepped in: the cause of their failures may pass, and until then
/// each costs a run of CI.
pub const BARREN_PAUSE: Span = Span::from_mins(15);

/// The rate of bad changes that is assumed before anything is known: one in ten.
const RATE_AT_FIRST_MILLI: u32 = 100;

/// The number of latest members that count: enough to tell one bad day from one bad change.
const WINDOW: u32 = 16;

/// The number of entries tested together, by the highest rate of bad ones in thousandths: a power of two that pays off
/// at that rate, including the halving and the separate run that each bad one costs. Where two sizes cost nearly the
/// same, the smaller one is used: the rate is known late, and a trial build that is too large costs more than one that
/// is too small.
const SIZES: [(u32, u32); 5] = [(25, 32), (50, 16), (100, 8), (140, 4), (180, 2)];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// The share of bad changes among the latest members, in thousandths.
    rate_milli: u32,
    /// The number of trial builds since something was merged.
    barren: u32,
}

impl Default for History {
    fn default() -> Self {
        Self { rate_milli: RATE_AT_FIRST_MILLI, barren: 0 }
    }
}

impl History {
    /// The number of changes to test together.
    #[must_use]
    pub fn size(&self, batch_max: u32) -> usize {
        let by_rate = SIZES.iter().find(|(rate, _)| self.rate_milli <= *rate);
        let size = if self.is_runaway() { 1 } else { by_rate.map_or(1, |(_, size)| *size) };
        usize::try_from(size.min(batch_max).max(1)).unwrap_or(usize::MAX)
    }

    /// The time before which no trial build starts; `ended` is the end of the last one.
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
