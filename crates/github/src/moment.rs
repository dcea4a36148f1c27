//! Times as they stand on the wire: `2026-01-31T12:00:05Z` in JSON, `Sat, 31 Jan 2026 12:00:05 GMT` in
//! headers.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use ralph_core::time::Time;
use serde::de::{self, Deserializer, Unexpected, Visitor};
use std::fmt;

/// Reads an ISO 8601 time; fractions of a second are dropped.
pub(crate) fn parse(text: &str) -> Option<Time> {
    text.parse().ok().map(whole_seconds)
}

/// Reads a time from a header. The day of the week is not needed, so it is not checked.
pub(crate) fn parse_http_date(text: &str) -> Option<Time> {
    DateTimeParser::new().relaxed_weekday(true).parse_timestamp(text).ok().map(whole_seconds)
}

fn whole_seconds(at: Timestamp) -> Time {
    Time(at.as_second() * 1_000)
}

/// As a query parameter: whole seconds in UTC, which is what the forge's clock has.
pub(crate) fn shown(at: Time) -> String {
    at.to_string().replacen(' ', "T", 1)
}

/// For a field that holds a time.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
    from.deserialize_str(TimeText)
}

struct TimeText;

impl Visitor<'_> for TimeText {
    type Value = Time;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
        parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for text in ["1970-01-01T00:00:00Z", "2024-02-29T00:00:00Z", "2026-02-28T23:59:59Z"] {
            assert_eq!(parse(text).map(shown).as_deref(), Some(text));
        }
        let noon = parse("2026-01-31T12:00:05Z");
        assert!(noon.is_some());
        for same in
            ["2026-01-31T14:00:05+02:00", "2026-01-31T12:00:05.999Z", "2026-01-31T06:30:05-05:30"]
        {
            assert_eq!(parse(same), noon, "{same}");
        }
        assert_eq!(parse("2026-01-31T12:00Z"), parse("2026-01-31T12:00:00Z"));
        assert_eq!(parse_http_date("Sat, 31 Jan 2026 12:00:05 GMT"), noon);
    }

    #[test]
    fn what_is_no_time_is_nothing() {
        for text in [
            "",
            "T",
            "2026-01-31",
            "2026-13-01T00:00:00Z",
            "2026-01-31T25:00:00Z",
            "99999999999-01-01T00:00:00Z",
            "2026-01-31T12:00:05+",
            "🦀T🦀Z",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        for text in ["", "Sat, ", "Sat, 31 Foo 2026 12:00:05 GMT", "31 Jan 2026"] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }
}
