//! Randomness from a seed: the same seed gives the same run in every process and on every machine.

/// `SplitMix64`: small, fast, and good enough to choose what happens next.
#[derive(Debug, Clone)]
pub struct Prng(u64);

impl Prng {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 if that is 0.
    pub const fn below(&mut self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.draw() % limit }
    }

    /// A number from `from` to `to`, both included.
    pub const fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from) + 1)
    }

    /// True in `milli` of a thousand cases.
    pub const fn chance(&mut self, milli: u64) -> bool {
        self.below(1_000) < milli
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        let index = usize::try_from(self.below(count)).unwrap_or(0);
        items.get(index)
    }

    /// Starts a separate stream, so that one part's draws do not shift another's.
    pub const fn fork(&mut self) -> Self {
        Self::new(self.draw())
    }
}
