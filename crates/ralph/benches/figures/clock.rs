//! The only place of the measurements that reads the clock and lets time pass.
#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]

use ralph_core::time::Time;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Microseconds since 1970, as scripts can tell them too.
pub(crate) fn epoch_us() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros()
}

pub(crate) fn time() -> Time {
    Time(i64::try_from(epoch_us() / 1_000).unwrap_or(i64::MAX))
}

pub(crate) fn pass(duration: Duration) {
    let began = now();
    while let Some(left) = duration.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
        std::thread::park_timeout(left);
    }
}

pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
