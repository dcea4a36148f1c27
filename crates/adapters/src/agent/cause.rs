//! The cause of a failed turn, from the status and the words of the provider that a program passes on.

use jiff::civil;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::EndClass;

/// Statuses of HTTP that a provider answers with.
const UNAUTHORIZED: u16 = 401;
const FORBIDDEN: u16 = 403;
const NOT_FOUND: u16 = 404;
const REQUEST_TIMEOUT: u16 = 408;
const TOO_MANY_REQUESTS: u16 = 429;
const SERVER_ERROR_MIN: u16 = 500;

/// A limit that ends sooner is one on the rate of requests, whatever it is called.
const RATE_LIMIT_MAX: Span = Span::from_mins(10);

/// Words of providers and programs for each cause, in the order in which they are looked for: a usage limit is often
/// reported as a rate limit too, and a full context as a bad request.
const CONTEXT_FULL: [&str; 7] = [
    "prompt is too long",
    "context window",
    "context length",
    "context_length_exceeded",
    "contextoverflow",
    "exceeds the maximum number of tokens",
    "input is too long",
];
const USAGE_LIMIT: [&str; 9] = [
    "usage limit",
    "usage_limit",
    "hit your",
    "credit balance",
    "quota",
    "billing",
    "out of credits",
    "spending limit",
    "limit reached|",
];
const NEEDS_LOGIN: [&str; 14] = [
    "invalid api key",
    "invalid x-api-key",
    "incorrect api key",
    "api key not valid",
    "invalid_api_key",
    "authentication",
    "unauthorized",
    "not logged in",
    "/login",
    "oauth token",
    "auth method",
    "missing api key",
    "missing environment variable",
    "must specify the",
];
const RATE_LIMIT: [&str; 3] = ["rate limit", "rate_limit", "too many requests"];
const UNKNOWN_MODEL: [&str; 6] = [
    "selected model",
    "model_not_found",
    "modelnotfound",
    "model not found",
    "is not found for api version",
    "` does not exist",
];
const OVERLOADED: [&str; 17] = [
    "overloaded",
    "at capacity",
    "high demand",
    "unavailable",
    "internal server error",
    "internal error",
    "server had an error",
    "econnreset",
    "econnrefused",
    "connection",
    "network",
    "timed out",
    "bad gateway",
    "fetch failed",
    "disconnected",
    "incomplete json",
    "json parsing failed",
];

/// The cause that a status of HTTP and the words of an error name.
pub(super) fn class_of(status: Option<u16>, says: &str, now: Time) -> EndClass {
    let says = says.to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| says.contains(word));
    let until = || until(&says, now);
    if names(&CONTEXT_FULL) {
        return EndClass::ContextFull;
    }
    // Its words may name the page for bills too.
    if status == Some(UNAUTHORIZED) {
        return EndClass::NeedsLogin;
    }
    if names(&USAGE_LIMIT) {
        let until = until();
        // Some providers call both a quota, and tell them apart by the time alone.
        let is_short = until.is_some_and(|until| until.since(now) <= RATE_LIMIT_MAX);
        return if is_short {
            EndClass::RateLimit { until }
        } else {
            EndClass::UsageLimit { until }
        };
    }
    match status {
        Some(FORBIDDEN) => return EndClass::NeedsLogin,
        Some(NOT_FOUND) => return EndClass::UnknownModel,
        Some(TOO_MANY_REQUESTS) => return EndClass::RateLimit { until: until() },
        Some(REQUEST_TIMEOUT | SERVER_ERROR_MIN..) => return EndClass::Overloaded,
        Some(_) | None => {}
    }
    if names(&NEEDS_LOGIN) {
        EndClass::NeedsLogin
    } else if names(&RATE_LIMIT) {
        EndClass::RateLimit { until: until() }
    // "The selected model is at capacity" is no unknown model.
    } else if names(&OVERLOADED) {
        EndClass::Overloaded
    } else if names(&UNKNOWN_MODEL) {
        EndClass::UnknownModel
    } else {
        EndClass::Crashed
    }
}

/// The time at which a limit ends, from lower-case words: an epoch, a length of time, a time of day in UTC.
pub(super) fn until(says: &str, now: Time) -> Option<Time> {
    let words: Vec<&str> =
        says.split(|c: char| c.is_whitespace() || "|,·()\"'".contains(c)).collect();
    epoch(&words)
        .or_else(|| {
            after(says, &["retry in ", "again in ", "resets in ", "reset after ", "retry after "])
                .and_then(|it| in_span(it, now))
        })
        .or_else(|| {
            after(says, &["again at ", "resets at ", "resets "]).and_then(|it| at_time(it, now))
        })
        .filter(|until| *until > now)
}

fn after<'t>(says: &'t str, marks: &[&str]) -> Option<&'t str> {
    marks.iter().find_map(|mark| Some(says.split_once(mark)?.1))
}

/// Seconds since 1970 that lie in this century.
fn epoch(words: &[&str]) -> Option<Time> {
    let numbers = words.iter().filter_map(|word| word.trim_matches(':').parse::<i64>().ok());
    let mut seconds = numbers.filter(|number| (1_500_000_000..4_000_000_000).contains(number));
    seconds.next().map(|seconds| Time(seconds.saturating_mul(1_000)))
}

/// "11.054s", "2 hours 5 minutes", "3 days": numbers, each with its unit.
fn in_span(text: &str, now: Time) -> Option<Time> {
    let mut total = 0.0;
    let mut rest = text.trim_start();
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else { break };
        let tail = tail.trim_start();
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        total += number * seconds_of(unit)?;
        rest = tail.trim_start().trim_start_matches(',').trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a cast saturates, and so does the sum")]
    let span = Span((total * 1_000.0).ceil() as i64);
    (span > Span::ZERO).then(|| now.plus(span))
}

fn seconds_of(unit: &str) -> Option<f64> {
    match unit {
        "ms" => Some(0.001),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hour" | "hours" => Some(3_600.0),
        "d" | "day" | "days" => Some(86_400.0),
        _ => None,
    }
}

/// "9:00 am", "3pm (utc)", "nov 20th, 2026 9:00 am". Programs run with the time zone UTC.
fn at_time(text: &str, now: Time) -> Option<Time> {
    let mut words = text.split(|c: char| c.is_whitespace() || ",()·".contains(c));
    let mut words = words.by_ref().filter(|word| !word.is_empty()).peekable();
    let today = jiff::Timestamp::from_millisecond(now.0).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
    let mut day = None;
    if let Some(month) = words.peek().and_then(|word| month_of(word)) {
        words.next();
        let number = words.next()?.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let year = words.peek().and_then(|word| word.parse::<i16>().ok()).filter(|it| *it > 2_000);
        if year.is_some() {
            words.next();
        }
        day = civil::Date::new(year.unwrap_or(today.year()), month, number.parse().ok()?).ok();
    }
    let clock = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let time = clock_of(clock, words.next().unwrap_or_default())?;
    let at = |date: civil::Date| {
        let zoned = date.to_datetime(time).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Time(zoned.timestamp().as_millisecond()))
    };
    match day {
        Some(day) => at(day),
        None => at(today.date())
            .filter(|time| *time > now)
            .or_else(|| at(today.date().tomorrow().ok()?)),
    }
}

/// "9:00" before "am", or "3pm".
fn clock_of(word: &str, next: &str) -> Option<civil::Time> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let half = word.get(digits.len()..).filter(|half| !half.is_empty()).unwrap_or(next);
    let (hour, minute) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hour, minute): (i8, i8) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half {
        "am" if hour == 12 => 0,
        "pm" if hour < 12 => hour + 12,
        _ => hour,
    };
    civil::Time::new(hour, minute, 0, 0).ok()
}

fn month_of(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let at = MONTHS.iter().position(|month| word.get(..3) == Some(month))?;
    i8::try_from(at + 1).ok().filter(|_| word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-18T09:00:00Z.
    const NOW: Time = Time(1_794_992_400_000);

    fn class(status: u16, says: &str) -> EndClass {
        class_of(Some(status).filter(|status| *status > 0), says, NOW)
    }

    #[test]
    fn each_cause_is_known_by_its_status_or_its_words() {
        use EndClass::{ContextFull, Crashed, NeedsLogin, Overloaded, UnknownModel};
        for (status, says, expected) in [
            (401, "Invalid API key · Fix external API key", NeedsLogin),
            (0, "unexpected status 401 Unauthorized: Incorrect API key provided", NeedsLogin),
            (400, "API key not valid. Please pass a valid API key.", NeedsLogin),
            (0, "Not logged in · Please run /login", NeedsLogin),
            (404, "There's an issue with the selected model (nope).", UnknownModel),
            (0, "The model `nope` does not exist or you do not have access to it.", UnknownModel),
            (529, "API Error: 529 Overloaded.", Overloaded),
            (0, "Selected model is at capacity. Please try a different model.", Overloaded),
            (
                0,
                "We’re currently experiencing high demand, which may cause temporary errors.",
                Overloaded,
            ),
            (0, "API Error: Connection dropped (ECONNRESET).", Overloaded),
            (400, "Prompt is too long · the request is ~213000 tokens", ContextFull),
            (0, "Your input exceeds the context window of this model.", ContextFull),
            (0, "a panic at line 7", Crashed),
            (0, "", Crashed),
        ] {
            assert_eq!(class(status, says), expected, "{says}");
        }
    }

    #[test]
    fn a_limit_ends_at_the_time_that_is_named() {
        let usage = |until| EndClass::UsageLimit { until };
        let rate = |until| EndClass::RateLimit { until };
        let later = |seconds| Some(NOW.plus(Span::from_secs(seconds)));
        for (status, says, expected) in [
            (400, "Credit balance is too low", usage(None)),
            (0, "Quota exceeded. Check your plan and billing details.", usage(None)),
            (0, "Claude AI usage limit reached|1794996000", usage(later(3_600))),
            (
                0,
                "You’ve hit your usage limit. Upgrade to Pro or try again at 10:30 AM.",
                usage(later(5_400)),
            ),
            (0, "You’ve hit your usage limit. Try again at 8:00 AM.", usage(later(23 * 3_600))),
            (0, "usage limit. Try again at Nov 20th, 2026 9:00 AM.", usage(later(2 * 86_400))),
            (0, "You've hit your limit · resets 3pm (UTC)", usage(later(6 * 3_600))),
            (429, "Please try again in 11.5s.", rate(Some(NOW.plus(Span(11_500))))),
            (429, "usage limit, try again in 2 hours 5 minutes", usage(later(7_500))),
            (
                429,
                "This request would exceed your account's rate limit. Please try again later.",
                rate(None),
            ),
            (0, "exceeded retry limit, last status: 429 Too Many Requests", rate(None)),
        ] {
            assert_eq!(class(status, says), expected, "{says}");
        }
    }
}
