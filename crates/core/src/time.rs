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

    /// Returns this span doubled `times` times, never above `limit`.
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

    /// Returns the time that has passed since `earlier`; zero if this is not after it.
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
    /// Writes `2026-01-31 12:00:05Z`, by the proleptic Gregorian calendar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Only a number that was never a time is beyond the calendar.
        let Ok(at) = jiff::Timestamp::from_millisecond(self.0) else {
            return write!(f, "{}ms", self.0);
        };
        let at = jiff::tz::Offset::UTC.to_datetime(at);
        let (year, month, day) = (at.year(), at.month(), at.day());
        let (hour, minute, second) = (at.hour(), at.minute(), at.second());
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_as_dates_and_spans_as_people_say_them() {
        assert_eq!(Time(0).to_string(), "1970-01-01 00:00:00Z");
        assert_eq!(Time(1_772_323_199_000).to_string(), "2026-02-28 23:59:59Z");
        assert_eq!(Time(-1).to_string(), "1969-12-31 23:59:59Z");
        assert_eq!(Time(i64::MAX).to_string(), "9223372036854775807ms");
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
