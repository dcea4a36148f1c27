//! Points in time and lengths of time, in milliseconds. Core never reads a clock: `now` is an argument.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub i64);

/// A length of time in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub i64);

impl Span {
    pub const ZERO: Self = Self(0);

    #[must_use]
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs * 1_000)
    }

    #[must_use]
    pub const fn from_mins(mins: i64) -> Self {
        Self::from_secs(mins * 60)
    }

    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    #[must_use]
    pub fn times(self, times: usize) -> Self {
        Self(self.0.saturating_mul(i64::try_from(times).unwrap_or(i64::MAX)))
    }

    /// This span doubled `times` times, never above `limit`.
    #[must_use]
    pub fn doubled(self, times: u32, limit: Self) -> Self {
        let factor = 1_i64.checked_shl(times.min(32)).unwrap_or(i64::MAX);
        Self(self.0.saturating_mul(factor)).min(limit)
    }
}

impl Time {
    #[must_use]
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    #[must_use]
    pub const fn minus(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        let millis = self.0.saturating_sub(earlier.0);
        Span(if millis > 0 { millis } else { 0 })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secs = self.0 / 1_000;
        match (secs / 3_600, secs / 60 % 60, secs % 60) {
            (0, 0, 0) => write!(f, "{}ms", self.0),
            (0, 0, s) => write!(f, "{s}s"),
            (0, m, 0) => write!(f, "{m}m"),
            (0, m, s) => write!(f, "{m}m{s:02}s"),
            (h, m, _) => write!(f, "{h}h{m:02}m"),
        }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Time {
    /// `2026-01-31 12:00:05Z`, by the proleptic Gregorian calendar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.div_euclid(86_400_000);
        let secs = self.0.rem_euclid(86_400_000) / 1_000;
        let (year, month, day) = civil_from_days(days);
        let (h, m, s) = (secs / 3_600, secs / 60 % 60, secs % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02}Z")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Howard Hinnant's algorithm: days since 1970-01-01 to year, month, day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_dates_and_spans_as_people_say_them() {
        assert_eq!(Time(0).to_string(), "1970-01-01 00:00:00Z");
        assert_eq!(Time(1_772_323_199_000).to_string(), "2026-02-28 23:59:59Z");
        assert_eq!(Time(1_709_164_800_000).to_string(), "2024-02-29 00:00:00Z");
        assert_eq!(Span::from_secs(59).to_string(), "59s");
        assert_eq!(Span::from_secs(90).to_string(), "1m30s");
        assert_eq!(Span::from_mins(125).to_string(), "2h05m");
        assert_eq!(Span(250).to_string(), "250ms");
    }

    #[test]
    fn doubling_stops_at_the_limit() {
        let limit = Span::from_mins(10);
        assert_eq!(Span::from_secs(60).doubled(2, limit), Span::from_mins(4));
        assert_eq!(Span::from_secs(60).doubled(40, limit), limit);
    }
}
