//! The one place where the forge reads the clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Unix milliseconds.
pub(crate) fn now_ms() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "this is the place where the clock is read")]
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
