//! Chance from a seed, so that several clients do not come back in the same moment and a simulated life can
//! be played again.

use ralph_core::time::Span;

#[derive(Debug)]
pub(crate) struct Jitter(u64);

impl Jitter {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A span from zero to `most`.
    pub(crate) fn up_to(&mut self, most: Span) -> Span {
        let steps = u64::try_from(most.0).unwrap_or(0).saturating_add(1);
        Span(i64::try_from(self.next() % steps).unwrap_or(0))
    }

    /// `SplitMix64`.
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
