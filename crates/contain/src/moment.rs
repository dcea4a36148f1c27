//! The only place of this package that reads the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this package that reads the clock"
)]

use std::time::{Duration, Instant};

/// A point in time that no change of the clock moves, for limits.
#[derive(Debug, Clone, Copy)]
pub struct Moment(Instant);

impl Moment {
    #[must_use]
    pub fn now() -> Self {
        Self(Instant::now())
    }

    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// The rest of `limit` since this moment; zero when it is used up.
    #[must_use]
    pub fn left_of(self, limit: Duration) -> Duration {
        limit.saturating_sub(self.elapsed())
    }
}
