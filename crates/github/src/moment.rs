//! Times as they stand on the wire: `2026-01-31T12:00:05Z` in JSON, `Sat, 31 Jan 2026 12:00:05 GMT` in
//! headers.

use ralph_core::time::Time;
use serde::de::{self, Deserializer, Unexpected, Visitor};
use std::fmt;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads an ISO 8601 time with seconds; fractions of a second are dropped.
pub(crate) fn parse(text: &str) -> Option<Time> {
    let (date, clock) = text.split_once(['T', ' '])?;
    let mut parts = date.splitn(3, '-').map(number);
    let days = days_from_civil(parts.next()??, parts.next()??, parts.next()??)?;
    let zone_at = clock.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = clock.split_at_checked(zone_at)?;
    let (clock, _fraction) = clock.split_once('.').unwrap_or((clock, ""));
    Some(Time((days * 86_400 + seconds_of(clock)? - offset(zone)?) * 1_000))
}

/// Reads the `Date` header's one usual form.
pub(crate) fn parse_http_date(text: &str) -> Option<Time> {
    let (_weekday, rest) = text.split_once(", ")?;
    let mut parts = rest.split(' ');
    let day = number(parts.next()?)?;
    let month = parts.next()?;
    let month = i64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let days = days_from_civil(number(parts.next()?)?, month, day)?;
    Some(Time((days * 86_400 + seconds_of(parts.next()?)?) * 1_000))
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

fn number(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn seconds_of(clock: &str) -> Option<i64> {
    let mut parts = clock.splitn(3, ':').map(number);
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    // 60 is a leap second.
    let is_time = hours < 24 && minutes < 60 && seconds <= 60;
    is_time.then_some(hours * 3_600 + minutes * 60 + seconds)
}

/// Seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    let (sign, rest) = zone.split_at_checked(1)?;
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _utc => return rest.is_empty().then_some(0),
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * (number(hours)? * 3_600 + number(minutes)? * 60))
}

/// Howard Hinnant's algorithm: year, month, day to days since 1970-01-01.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
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
            "2026-01-31T12:00Z",
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
