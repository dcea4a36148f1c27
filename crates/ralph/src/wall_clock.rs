//! The only place that reads the clocks.

use ralph_core::steady_clock::{Reading, SteadyClock};
use ralph_core::time::{Span, Time};
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// One for the whole process: everything that waits is measured by the same clock.
static CLOCK: Mutex<Option<SteadyClock>> = Mutex::new(None);

/// The time by which this process waits. It begins as the time of day and does not jump when that is set.
pub(crate) fn now() -> Time {
    let now = reading();
    let mut clock = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    clock.get_or_insert_with(|| SteadyClock::set(now)).step(now)
}

/// The time of day as the machine has it, for dates that others read.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub(crate) fn of_day() -> Time {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}

fn reading() -> Reading {
    Reading { of_day: of_day(), steady: steady() }
}

/// Time since the machine was started, sleep included.
fn steady() -> Span {
    let at = clock_gettime(BOOT);
    Span(at.tv_sec.saturating_mul(1_000).saturating_add(at.tv_nsec / 1_000_000))
}

#[cfg(target_os = "linux")]
const BOOT: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const BOOT: ClockId = ClockId::Monotonic;
