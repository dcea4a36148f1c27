//! The one place where the forge reads the clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Unix milliseconds.
pub(crate) fn now_ms() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "this is the place where the clock is read")]
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A moment that does not move when the clock is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub(crate) fn after(duration: Duration) -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the place where the clock is read")]
        let now = Instant::now();
        Self(now + duration)
    }

    /// Returns the time left until then.
    pub(crate) fn left(self) -> Duration {
        #[expect(clippy::disallowed_methods, reason = "this is the place where the clock is read")]
        let now = Instant::now();
        self.0.saturating_duration_since(now)
    }
}
