//! The only place of this package that reads the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this package that reads the clock"
)]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Drawn seeds stay below this, so that a person can copy one from a screen.
const SEED_LIMIT: u128 = 1_000_000_000;

/// Measures how long a stage takes.
#[derive(Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start as `0.4 s`.
    pub(crate) fn elapsed(&self) -> String {
        format!("{:.1} s", self.0.elapsed().as_secs_f64())
    }
}

/// A seed that differs from one run to the next. A clock set before 1970 gives zero, which is a seed too.
pub(crate) fn seed_from_clock() -> u64 {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    u64::try_from(millis % SEED_LIMIT).unwrap_or_default()
}
