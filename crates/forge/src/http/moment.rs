//! Moments as GitHub writes them: ISO 8601 in bodies, the HTTP form in headers; both in whole seconds.

use std::fmt;

use serde::{Serialize, Serializer};

const DAY_SECONDS: u64 = 86_400;

/// Unix seconds, written as `2026-01-31T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(pub(super) u64);

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.0 / DAY_SECONDS);
        let (hour, minute, second) = clock_of(self.0);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
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
        let (date, clock) = match text.split_once(['T', ' ']) {
            Some((date, clock)) => (date, clock),
            None => (text, "00:00:00Z"),
        };
        let mut parts = date.splitn(3, '-').map(str::parse::<u64>);
        let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
        if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day)
        {
            return None;
        }
        let (clock, offset) = split_offset(clock)?;
        let mut parts = clock.splitn(3, ':');
        let hour: u64 = parts.next()?.parse().ok()?;
        let minute: u64 = parts.next()?.parse().ok()?;
        let second = parts.next().unwrap_or("0");
        let second: u64 = second.split('.').next()?.parse().ok()?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let local =
            days_before(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
        local.checked_add_signed(-offset).map(Self)
    }
}

/// The clock and how many seconds it is ahead of UTC.
fn split_offset(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = clock.rfind(['+', '-']) else { return Some((clock, 0)) };
    let (clock, offset) = clock.split_at_checked(at)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = offset.get(1..)?.split_once(':')?;
    let seconds = hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60;
    Some((clock, sign * seconds))
}

/// Unix seconds, written as `Sat, 31 Jan 2026 12:00:00 GMT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HttpDate(pub(super) u64);

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

impl fmt::Display for HttpDate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0 / DAY_SECONDS;
        let (year, month, day) = date_of(days);
        let (hour, minute, second) = clock_of(self.0);
        let name = |names: &[&'static str], at: u64| {
            usize::try_from(at).ok().and_then(|at| names.get(at).copied()).unwrap_or_default()
        };
        let weekday = name(&WEEKDAYS, days % 7);
        let month = name(&MONTHS, month - 1);
        write!(
            formatter,
            "{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT"
        )
    }
}

impl HttpDate {
    /// Reads the one form that is written.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (_weekday, rest) = text.split_once(", ")?;
        let mut parts = rest.split(' ');
        let day: u64 = parts.next()?.parse().ok()?;
        let month = parts.next()?;
        let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
        let year: u64 = parts.next()?.parse().ok()?;
        let iso = format!("{year:04}-{month:02}-{day:02}T{}Z", parts.next()?);
        Moment::parse(&iso).map(|moment| Self(moment.0))
    }
}

fn clock_of(seconds: u64) -> (u64, u64, u64) {
    let second_of_day = seconds % DAY_SECONDS;
    (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60)
}

/// Year, month and day that many days after 1 January 1970: eras of 400 years, counted from March so
/// that the leap day is the last of its year.
fn date_of(days: u64) -> (u64, u64, u64) {
    let since_march_0000 = days + 719_468;
    let era = since_march_0000 / 146_097;
    let day_of_era = since_march_0000 % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

fn days_before(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let shifted_month = (month + 9) % 12;
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).saturating_sub(719_468)
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
