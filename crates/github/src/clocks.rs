//! The difference of this machine's clock and the forge's, by the date that the forge puts on its answers.

use crate::moment;
use crate::outcome;
use http::HeaderMap;
use ralph_core::time::{Span, Time};

/// The forge's date has no fractions of a second.
const STEP: Span = Span::from_secs(1);

/// Two clocks, held against each other while one request was under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// As far as is known.
    Agree,
    /// This machine is ahead of the forge by at least this much.
    Ahead(Span),
    Behind(Span),
}

impl Clocks {
    /// The forge dated its answer at some moment between these two, if the clocks agree.
    pub(crate) fn of(sent: Time, received: Time, headers: &HeaderMap) -> Option<Self> {
        let date = outcome::text(headers, "date").and_then(moment::parse_http_date)?;
        let (ahead, behind) = (sent.since(date.plus(STEP)), date.since(received));
        Some(match (ahead, behind) {
            (Span::ZERO, Span::ZERO) => Self::Agree,
            (Span::ZERO, behind) => Self::Behind(behind),
            (ahead, _) => Self::Ahead(ahead),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_agree_while_the_date_lies_within_the_exchange() {
        /// 2026-01-31T12:00:05Z
        const DATE: Time = Time(1_769_860_805_000);
        let mut headers = HeaderMap::new();
        assert_eq!(Clocks::of(DATE, DATE, &headers), None);
        headers.insert("date", "Sat, 31 Jan 2026 12:00:05 GMT".parse().unwrap());
        for (sent, received, expected) in [
            (0, 0, Clocks::Agree),
            (-30_000, 30_000, Clocks::Agree),
            (999, 1_500, Clocks::Agree),
            (61_000, 62_000, Clocks::Ahead(Span::from_secs(60))),
            (-90_000, -60_000, Clocks::Behind(Span::from_secs(60))),
        ] {
            let at = |millis| DATE.plus(Span(millis));
            assert_eq!(Clocks::of(at(sent), at(received), &headers), Some(expected), "{sent}");
        }
        headers.insert("date", "yesterday".parse().unwrap());
        assert_eq!(Clocks::of(DATE, DATE, &headers), None);
    }
}
