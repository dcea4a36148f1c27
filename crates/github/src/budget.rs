//! The budget of requests to the forge, and what runs first when it is low. It never waits: it says
//! until when to.

use crate::jitter::Jitter;
use crate::outcome::{self, Pushback};
use http::HeaderMap;
use ralph_core::time::{Span, Time};

/// At this share of the primary limit labels and edits wait for the reset, and all writes keep a distance.
const NEAR_SHARE: u64 = 10;
/// At this share reads wait too: the rest is for pull requests, merges and comments.
const READS_SHARE: u64 = 50;
/// GitHub asks for at least one second between writes.
const WRITE_GAP: Span = Span::from_secs(1);
const WRITE_GAP_JITTER: Span = Span(500);
/// The pause when the forge turns us away and does not say for how long, doubled each time.
const PAUSE: Span = Span::from_secs(60);
const PAUSE_MAX: Span = Span::from_mins(15);
const PAUSE_JITTER: Span = Span::from_secs(6);
/// The time after a secondary limit during which writes still keep their distance.
const STRAIN: Span = Span::from_mins(10);

/// The purpose of a request, which decides when it has to wait for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    /// Labels and edits of comments: they converge later.
    BestEffort,
    /// Pull requests, merges, new comments.
    Essential,
}

/// The state of the budget, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// `None` until the forge has said.
    pub primary: Option<Primary>,
    pub degraded: Option<Degraded>,
}

/// The hourly limit as last reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Primary {
    pub limit: u64,
    pub remaining: u64,
    pub reset: Time,
}

/// The reason why some requests wait now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degraded {
    pub kind: DegradedKind,
    pub why: String,
    pub until: Option<Time>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DegradedKind {
    /// The forge refuses the token.
    Credentials,
    /// A limit struck, or is so near that something waits.
    Limit,
    /// No answer, or only errors of the server.
    Unreachable,
}

/// A request that is not sent now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotNow {
    pub(crate) until: Time,
    pub(crate) why: String,
}

#[derive(Debug)]
pub(crate) struct Budget {
    primary: Option<Primary>,
    /// Nothing is sent before its end.
    hold: Option<(DegradedKind, NotNow)>,
    /// Times in a row that the forge turned us away.
    strikes: u32,
    strained_until: Option<Time>,
    next_write: Option<Time>,
    /// The failure of the last request, if it got no proper answer.
    trouble: Option<String>,
    jitter: Jitter,
}

impl Budget {
    pub(crate) const fn new(seed: u64) -> Self {
        Self {
            primary: None,
            hold: None,
            strikes: 0,
            strained_until: None,
            next_write: None,
            trouble: None,
            jitter: Jitter::new(seed),
        }
    }

    /// May a request go out now? A write that may is counted as sent.
    pub(crate) fn admit(&mut self, now: Time, purpose: Purpose) -> Result<(), NotNow> {
        if let Some((_, hold)) = self.hold.as_ref().filter(|(_, hold)| now < hold.until) {
            return Err(hold.clone());
        }
        if let Some(primary) = self.current(now)
            && primary.remaining <= reserve(primary, purpose)
        {
            let (until, why) = (primary.reset, saving(primary));
            return Err(NotNow { until, why });
        }
        if purpose == Purpose::Read || !self.is_near(now) {
            return Ok(());
        }
        if let Some(until) = self.next_write.filter(|next| now < *next) {
            let why = "writes keep a distance while a limit of the forge is near".to_owned();
            return Err(NotNow { until, why });
        }
        let gap = WRITE_GAP.plus(self.jitter.up_to(WRITE_GAP_JITTER));
        self.next_write = Some(now.plus(gap));
        Ok(())
    }

    /// Takes in the headers of any answer.
    pub(crate) fn saw(&mut self, now: Time, headers: &HeaderMap) {
        // Other resources, such as search, have limits of their own.
        if outcome::text(headers, "x-ratelimit-resource").is_some_and(|name| name != "core") {
            return;
        }
        let number = |name| outcome::number(headers, name);
        let reported = (number("x-ratelimit-limit"), number("x-ratelimit-remaining"));
        let ((Some(limit), Some(remaining)), Some(pause)) =
            (reported, outcome::until_reset(now, headers))
        else {
            return;
        };
        let reported = Primary { limit, remaining, reset: now.plus(pause) };
        // Answers overtake each other: inside one window the budget only shrinks.
        let is_same_window = |known: &Primary| reported.reset.since(known.reset) < PAUSE;
        self.primary = Some(match self.current(now) {
            Some(known) if is_same_window(&known) => {
                Primary { remaining: known.remaining.min(remaining), ..known }
            }
            Some(_) | None => reported,
        });
    }

    /// The forge turned a request away: everything waits.
    pub(crate) fn turned_away(&mut self, now: Time, how: Pushback, why: &str) -> Time {
        let (kind, reported) = match how {
            Pushback::Limit(pause) => (DegradedKind::Limit, pause),
            Pushback::Credentials => (DegradedKind::Credentials, None),
        };
        let pause = reported.unwrap_or_else(|| {
            PAUSE.doubled(self.strikes, PAUSE_MAX).plus(self.jitter.up_to(PAUSE_JITTER))
        });
        self.strikes = self.strikes.saturating_add(1);
        let held = self.hold.as_ref().map_or(now, |(_, hold)| hold.until);
        let until = now.plus(pause).max(held);
        self.hold = Some((kind, NotNow { until, why: why.to_owned() }));
        self.strained_until = Some(until.plus(STRAIN));
        until
    }

    /// A request got no proper answer.
    pub(crate) fn went_wrong(&mut self, why: &str) {
        self.trouble = Some(why.to_owned());
    }

    /// A request was answered properly.
    pub(crate) fn went_well(&mut self, now: Time) {
        self.trouble = None;
        // An answer to a request from before the hold says nothing about it.
        if self.hold.as_ref().is_none_or(|(_, hold)| now >= hold.until) {
            self.hold = None;
            self.strikes = 0;
        }
    }

    pub(crate) fn snapshot(&self, now: Time) -> Snapshot {
        let primary = self.current(now);
        let degraded = |kind, why, until| Some(Degraded { kind, why, until });
        let held = self.hold.as_ref().filter(|(_, hold)| now < hold.until);
        let is_low =
            |primary: &&Primary| primary.remaining <= reserve(**primary, Purpose::BestEffort);
        let degraded = match (held, &self.trouble, primary.as_ref().filter(is_low)) {
            (Some((kind, hold)), _, _) => degraded(*kind, hold.why.clone(), Some(hold.until)),
            (None, Some(why), _) => degraded(DegradedKind::Unreachable, why.clone(), None),
            (None, None, Some(low)) => degraded(DegradedKind::Limit, saving(*low), Some(low.reset)),
            (None, None, None) => None,
        };
        Snapshot { primary, degraded }
    }

    /// The forge's numbers for the current window.
    fn current(&self, now: Time) -> Option<Primary> {
        self.primary.filter(|primary| now < primary.reset)
    }

    fn is_near(&self, now: Time) -> bool {
        let is_low = |primary: Primary| primary.remaining <= primary.limit / NEAR_SHARE;
        self.strained_until.is_some_and(|until| now < until)
            || self.current(now).is_some_and(is_low)
    }
}

/// The number of requests that is kept for others: below it this purpose has to wait.
const fn reserve(primary: Primary, purpose: Purpose) -> u64 {
    match purpose {
        Purpose::Read => primary.limit / READS_SHARE,
        Purpose::BestEffort => primary.limit / NEAR_SHARE,
        Purpose::Essential => 0,
    }
}

fn saving(primary: Primary) -> String {
    let Primary { limit, remaining, reset } = primary;
    format!(
        "{remaining} of {limit} requests are left until {reset}; they are kept for what matters most"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_700_000_000_000);

    fn later(span: Span) -> Time {
        NOW.plus(span)
    }

    fn headers(limit: u64, remaining: u64, reset: Time) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("x-ratelimit-limit", limit.into());
        headers.insert("x-ratelimit-remaining", remaining.into());
        headers.insert("x-ratelimit-reset", (reset.0 / 1_000).into());
        headers
    }

    fn reported(remaining: u64) -> Budget {
        let mut budget = Budget::new(1);
        budget.saw(NOW, &headers(5_000, remaining, later(Span::from_mins(20))));
        budget
    }

    fn admitted(budget: &mut Budget) -> [bool; 3] {
        [Purpose::BestEffort, Purpose::Read, Purpose::Essential]
            .map(|purpose| budget.admit(NOW, purpose).is_ok())
    }

    #[test]
    fn labels_yield_first_then_reads_and_merges_last() {
        for (remaining, expected) in [
            (5_000, [true, true, true]),
            (501, [true, true, true]),
            (500, [false, true, true]),
            (101, [false, true, true]),
            (100, [false, false, true]),
            (1, [false, false, true]),
            (0, [false, false, false]),
        ] {
            assert_eq!(admitted(&mut reported(remaining)), expected, "{remaining} left");
        }
        let refused = reported(100).admit(NOW, Purpose::Read).unwrap_err();
        assert_eq!(refused.until, later(Span::from_secs(20 * 60 + 1)));
    }

    #[test]
    fn a_new_window_is_a_new_budget() {
        let mut budget = reported(0);
        let reset = later(Span::from_secs(20 * 60 + 1));
        assert!(budget.admit(reset.minus(Span(1)), Purpose::Essential).is_err());
        assert_eq!(budget.admit(reset, Purpose::BestEffort), Ok(()));
        budget.saw(reset, &headers(5_000, 4_999, reset.plus(Span::from_mins(60))));
        assert_eq!(budget.snapshot(reset).primary.map(|primary| primary.remaining), Some(4_999));
    }

    #[test]
    fn an_answer_that_was_overtaken_gives_nothing_back() {
        let mut budget = reported(10);
        budget.saw(NOW, &headers(5_000, 12, later(Span::from_mins(20))));
        assert_eq!(budget.snapshot(NOW).primary.map(|primary| primary.remaining), Some(10));
    }

    #[test]
    fn writes_keep_a_second_apart_while_a_limit_is_near_and_only_then() {
        let mut plenty = reported(5_000);
        assert_eq!(plenty.admit(NOW, Purpose::Essential), Ok(()));
        assert_eq!(plenty.admit(NOW, Purpose::Essential), Ok(()));
        let mut near = reported(400);
        assert_eq!(near.admit(NOW, Purpose::Essential), Ok(()));
        assert_eq!(near.admit(NOW, Purpose::Read), Ok(()));
        let until = near.admit(NOW, Purpose::Essential).unwrap_err().until;
        assert!((later(WRITE_GAP)..=later(Span(1_500))).contains(&until), "{until}");
        assert_eq!(near.admit(until, Purpose::Essential), Ok(()));
    }

    #[test]
    fn being_turned_away_holds_everything_and_longer_each_time_unless_told() {
        let mut budget = Budget::new(7);
        let mut now = NOW;
        for expected in [60, 120, 240, 480, 900, 900] {
            let until = budget.turned_away(now, Pushback::Limit(None), "slow down");
            let pause = until.since(now);
            let most = Span::from_secs(expected).plus(PAUSE_JITTER);
            assert!((Span::from_secs(expected)..=most).contains(&pause), "{pause}");
            assert_eq!(budget.admit(now, Purpose::Essential).unwrap_err().until, until);
            now = until;
        }
        budget.went_well(now);
        let reported =
            budget.turned_away(now, Pushback::Limit(Some(Span::from_secs(30))), "slow down");
        assert_eq!(reported, now.plus(Span::from_secs(30)));
        budget.went_well(now);
        assert!(budget.admit(now, Purpose::Read).is_err(), "a late answer must not end the hold");
    }

    #[test]
    fn after_a_secondary_limit_writes_keep_their_distance_for_a_while() {
        let mut budget = reported(5_000);
        let until = budget.turned_away(NOW, Pushback::Limit(None), "slow down");
        budget.went_well(until);
        assert_eq!(budget.admit(until, Purpose::Essential), Ok(()));
        assert!(budget.admit(until, Purpose::Essential).is_err());
        let calm = until.plus(STRAIN).plus(Span::from_secs(2));
        assert_eq!(budget.admit(calm, Purpose::Essential), Ok(()));
        assert_eq!(budget.admit(calm, Purpose::Essential), Ok(()));
    }

    #[test]
    fn the_snapshot_says_what_is_wrong_and_until_when() {
        let mut budget = Budget::new(1);
        assert_eq!(budget.snapshot(NOW), Snapshot { primary: None, degraded: None });
        budget.went_wrong("GET /user got no answer: timed out");
        let kind = |budget: &Budget| budget.snapshot(NOW).degraded.map(|degraded| degraded.kind);
        assert_eq!(kind(&budget), Some(DegradedKind::Unreachable));
        let until = budget.turned_away(NOW, Pushback::Credentials, "GET /user: bad credentials");
        let degraded = budget.snapshot(NOW).degraded.unwrap();
        assert_eq!((degraded.kind, degraded.until), (DegradedKind::Credentials, Some(until)));
        budget.went_well(until);
        assert_eq!(budget.snapshot(until).degraded, None);
        assert_eq!(kind(&reported(500)), Some(DegradedKind::Limit));
    }

    #[test]
    fn limits_of_other_resources_are_not_ours() {
        let mut budget = Budget::new(1);
        let mut search = headers(30, 0, later(Span::from_mins(1)));
        search.insert("x-ratelimit-resource", "search".parse().unwrap());
        budget.saw(NOW, &search);
        assert_eq!(budget.snapshot(NOW).primary, None);
    }
}
