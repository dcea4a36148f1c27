//! The only place of this package that reads the clock.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this package that reads the clock"
)]

use ralph_core::time::{Span, Time};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time of day. A clock set before 1970 gives zero.
#[must_use]
pub fn now() -> Time {
    let since_1970 = file_time().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

/// The time of day as files carry it.
pub(crate) fn file_time() -> SystemTime {
    SystemTime::now()
}

/// A time of the standard library as the engine has it.
pub(crate) fn span(duration: Duration) -> Span {
    Span(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
}

/// A span of the engine's as the standard library has it.
pub(crate) fn duration(span: Span) -> Duration {
    Duration::from_millis(u64::try_from(span.as_millis()).unwrap_or_default())
}
