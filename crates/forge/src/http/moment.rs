//! Moments as GitHub writes them: ISO 8601 in bodies, the HTTP form in headers; both in whole seconds.

use std::fmt;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Serialize, Serializer};

/// 9999-12-31T23:59:59Z, the last moment that both forms can write, in unix seconds.
const SECONDS_MAX: u64 = 253_402_300_799;

/// Unix seconds, written as `2026-01-31T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(pub(super) u64);

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = i64::try_from(self.0).unwrap_or(i64::MAX);
        Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).fmt(formatter)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Moment {
    /// Reads `2026-01-31T12:00:00Z`, also with fractions, an offset or the date alone.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let in_utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
        let moment = text.parse::<Timestamp>().ok().or_else(|| Some(in_utc()?.timestamp()))?;
        u64::try_from(moment.as_second()).ok().map(Self)
    }
}

/// Unix seconds, written as `Sat, 31 Jan 2026 12:00:00 GMT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HttpDate(pub(super) u64);

impl fmt::Display for HttpDate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since_epoch = Duration::from_secs(self.0.min(SECONDS_MAX));
        httpdate::HttpDate::from(SystemTime::UNIX_EPOCH + since_epoch).fmt(formatter)
    }
}

impl HttpDate {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let moment = httpdate::parse_http_date(text).ok()?;
        moment.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| Self(since.as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_and_read_back() {
        let known = [
            (0, "1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "2000-02-29T00:00:00Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_700_000_000, "2023-11-14T22:13:20Z", "Tue, 14 Nov 2023 22:13:20 GMT"),
            (4_107_542_399, "2100-02-28T23:59:59Z", "Sun, 28 Feb 2100 23:59:59 GMT"),
        ];
        for (seconds, iso, http) in known {
            assert_eq!(Moment(seconds).to_string(), iso);
            assert_eq!(Moment::parse(iso), Some(Moment(seconds)));
            assert_eq!(HttpDate(seconds).to_string(), http);
            assert_eq!(HttpDate::parse(http), Some(HttpDate(seconds)));
        }
    }

    #[test]
    fn offsets_fractions_and_bare_dates_are_read() {
        let read = |text| Moment::parse(text).map(|moment| moment.0);
        assert_eq!(read("2023-11-14T23:13:20+01:00"), Some(1_700_000_000));
        assert_eq!(read("2023-11-14T22:13:20.999Z"), Some(1_700_000_000));
        assert_eq!(read("2023-11-14"), Some(1_699_920_000));
        for bad in ["", "yesterday", "2023-13-01T00:00:00Z", "2023-11-14T25:00:00Z", "1-1"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
