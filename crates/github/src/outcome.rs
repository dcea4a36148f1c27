//! The meaning of an answer. Every response, to a read or a write, is judged here and nowhere else.

use crate::complaint::Complaint;
use crate::moment;
use http::{HeaderMap, Response, StatusCode};
use ralph_core::time::{Span, Time};
use ralph_engine::ports::RefusalKind;

/// A reset or `Retry-After` further away than this is a mistake; primary limits last an hour.
const PAUSE_MAX: Span = Span::from_mins(120);
/// Clocks have one-second steps: asking in the very second of the reset is too early.
const RESET_MARGIN: Span = Span::from_secs(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    Happened,
    /// As last read. Only an answer to a conditional request.
    Unchanged,
    /// Understood and declined: asking again unchanged is useless.
    Refused(RefusalKind, Complaint),
    /// Turned away unread.
    Later(Pushback, Complaint),
    /// It may have happened.
    Unknown(Complaint),
}

/// The reason why all requests have to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushback {
    /// The pause the forge asks for, if it says.
    Limit(Option<Span>),
    Credentials,
}

pub(crate) fn meaning(now: Time, response: &Response<Vec<u8>>) -> Meaning {
    let status = response.status();
    if status.is_success() {
        return Meaning::Happened;
    }
    if status == StatusCode::NOT_MODIFIED {
        return Meaning::Unchanged;
    }
    let complaint = Complaint::of(response);
    let headers = response.headers();
    let refused = |kind, complaint| Meaning::Refused(kind, complaint);
    match status.as_u16() {
        401 => Meaning::Later(Pushback::Credentials, complaint),
        429 => Meaning::Later(Pushback::Limit(pause(now, headers)), complaint),
        403 if is_limit(headers, &complaint) => {
            Meaning::Later(Pushback::Limit(pause(now, headers)), complaint)
        }
        404 | 410 => refused(RefusalKind::Missing, complaint),
        422 if complaint.says_exists => refused(RefusalKind::Exists, complaint),
        // The forge gave up waiting for the rest of the request.
        408 => Meaning::Unknown(complaint),
        300..=399 => refused(RefusalKind::Other, moved(complaint, headers)),
        400..=499 => refused(RefusalKind::Other, complaint),
        _server_error => Meaning::Unknown(complaint),
    }
}

fn is_limit(headers: &HeaderMap, complaint: &Complaint) -> bool {
    headers.contains_key(http::header::RETRY_AFTER)
        || number(headers, "x-ratelimit-remaining") == Some(0)
        || ["rate limit", "abuse detection"].iter().any(|words| complaint.says(words))
}

/// `Retry-After` if there is one; the reset only when the primary limit is used up, because a secondary
/// limit has nothing to do with it.
fn pause(now: Time, headers: &HeaderMap) -> Option<Span> {
    let date = text(headers, "date").and_then(moment::parse_http_date).unwrap_or(now);
    let asked = text(headers, "retry-after").and_then(|after| {
        let seconds = after.trim().parse::<i64>().ok();
        let seconds = seconds.map(|seconds| Span(seconds.saturating_mul(1_000)));
        seconds.or_else(|| moment::parse_http_date(after).map(|at| at.since(date)))
    });
    let used_up = number(headers, "x-ratelimit-remaining").is_none_or(|left| left == 0);
    let reset = || until_reset(now, headers).filter(|_| used_up);
    asked.or_else(reset).map(|pause| pause.clamp(RESET_MARGIN, PAUSE_MAX))
}

/// The time until the primary limit is full again, by the forge's own clock where it shows it: ours may be
/// wrong.
pub(crate) fn until_reset(now: Time, headers: &HeaderMap) -> Option<Span> {
    let reset = i64::try_from(number(headers, "x-ratelimit-reset")?).ok()?;
    let date = text(headers, "date").and_then(moment::parse_http_date).unwrap_or(now);
    Some(Time(reset.checked_mul(1_000)?).since(date).plus(RESET_MARGIN).min(PAUSE_MAX))
}

pub(crate) fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    text(headers, name)?.trim().parse().ok()
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A renamed repository or a moved issue. Following silently would leave the old name in the configuration.
fn moved(mut complaint: Complaint, headers: &HeaderMap) -> Complaint {
    complaint.moved_to = text(headers, "location").map(str::to_owned);
    let to = complaint.moved_to.as_deref().unwrap_or("an unknown place");
    complaint.message = format!("{} (moved to {to}; use its new name)", complaint.message.trim());
    complaint
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_769_860_805_000);

    fn response(status: u16, headers: &[(&str, &str)], message: &str) -> Response<Vec<u8>> {
        let builder = Response::builder().status(status);
        let builder =
            headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value));
        builder.body(format!(r#"{{"message":"{message}"}}"#).into_bytes()).unwrap()
    }

    /// The table "What an answer means", one word per row.
    fn outcome(status: u16, headers: &[(&str, &str)], message: &str) -> String {
        match meaning(NOW, &response(status, headers, message)) {
            Meaning::Happened => "happened".to_owned(),
            Meaning::Unchanged => "unchanged".to_owned(),
            Meaning::Refused(kind, _) => format!("refused {kind:?}"),
            Meaning::Later(Pushback::Credentials, _) => "later, credentials".to_owned(),
            Meaning::Later(Pushback::Limit(None), _) => "later".to_owned(),
            Meaning::Later(Pushback::Limit(Some(pause)), _) => format!("later, {pause}"),
            Meaning::Unknown(_) => "unknown".to_owned(),
        }
    }

    #[test]
    fn statuses_alone() {
        for (status, expected) in [
            (200, "happened"),
            (201, "happened"),
            (202, "happened"),
            (204, "happened"),
            (301, "refused Other"),
            (304, "unchanged"),
            (400, "refused Other"),
            (401, "later, credentials"),
            (403, "refused Other"),
            (404, "refused Missing"),
            (405, "refused Other"),
            (408, "unknown"),
            (409, "refused Other"),
            (410, "refused Missing"),
            (413, "refused Other"),
            (422, "refused Other"),
            (429, "later"),
            (451, "refused Other"),
            (500, "unknown"),
            (502, "unknown"),
            (503, "unknown"),
            (504, "unknown"),
            (599, "unknown"),
        ] {
            assert_eq!(outcome(status, &[], "no"), expected, "{status}");
        }
        assert_eq!(outcome(422, &[], "Reference already exists"), "refused Exists");
    }

    #[test]
    fn limits_come_in_many_shapes() {
        let date = ("date", "Sat, 31 Jan 2026 12:00:05 GMT");
        // A minute after the date above.
        let reset = ("x-ratelimit-reset", "1769860865");
        let left = |text| ("x-ratelimit-remaining", text);
        for (status, headers, message, expected) in [
            (403, vec![left("0"), reset], "API rate limit exceeded", "later, 1m01s"),
            (429, vec![left("0"), reset], "", "later, 1m01s"),
            (429, vec![reset], "", "later, 1m01s"),
            (403, vec![("retry-after", "30"), left("17"), reset], "", "later, 30s"),
            (403, vec![("retry-after", "Sat, 31 Jan 2026 12:01:05 GMT"), date], "", "later, 1m"),
            (403, vec![("retry-after", "soon")], "", "later"),
            (403, vec![("retry-after", "0")], "", "later, 1s"),
            (403, vec![("retry-after", "-5")], "", "later, 1s"),
            (403, vec![("retry-after", "99999999999")], "", "later, 2h00m"),
            (403, vec![("retry-after", "9223372036854775807")], "", "later, 2h00m"),
            (403, vec![left("0"), ("x-ratelimit-reset", "1")], "", "later, 1s"),
            (403, vec![left("0"), ("x-ratelimit-reset", "18446744073709551615")], "", "later"),
            (403, vec![left("17"), reset], "You have exceeded a secondary rate limit", "later"),
            (429, vec![left("17"), reset], "", "later"),
            (403, vec![], "You have triggered an abuse detection mechanism", "later"),
            (403, vec![left("17"), reset], "Resource not accessible", "refused Other"),
        ] {
            assert_eq!(outcome(status, &headers, message), expected, "{status} {headers:?}");
        }
    }

    #[test]
    fn a_reset_is_measured_on_the_clock_of_the_forge() {
        let an_hour_ahead = [
            ("date", "Sat, 31 Jan 2026 13:00:05 GMT"),
            ("x-ratelimit-reset", "1769864465"),
            ("x-ratelimit-remaining", "0"),
        ];
        assert_eq!(outcome(403, &an_hour_ahead, ""), "later, 1m01s");
    }

    #[test]
    fn what_has_moved_says_where_to() {
        let there = [("location", "https://api.github.com/repositories/7")];
        let Meaning::Refused(_, complaint) =
            meaning(NOW, &response(301, &there, "Moved Permanently"))
        else {
            panic!("not refused");
        };
        assert_eq!(
            complaint.message,
            "Moved Permanently (moved to https://api.github.com/repositories/7; use its new name)"
        );
    }
}
