//! A clock for waiting: it follows the machine's clock and never jumps when that is set. A pause of a minute lasts a
//! minute, whatever happens to the time of day meanwhile.

use crate::time::{Span, Time};

/// The clock may run faster or slower by one part in this many to return to the time of day. A minute of it is never
/// shorter than 58.8 seconds.
const SLEW_PARTS: i64 = 50;
/// Readings closer together than this share one step, so that rounding does not swallow the slew.
const STEP: Span = Span::from_secs(1);

/// The values of both clocks at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The time of day, which people and programs set.
    pub of_day: Time,
    /// Time since a fixed moment, unaffected by changes of the time of day.
    pub steady: Span,
}

/// A clock that begins with the time of day and then follows the steady clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SteadyClock {
    /// The value of this clock at its last step, and the time of that step.
    shown: Time,
    steady: Span,
}

impl SteadyClock {
    #[must_use]
    pub const fn set(to: Reading) -> Self {
        Self { shown: to.of_day, steady: to.steady }
    }

    /// Returns its present value.
    #[must_use]
    pub fn at(&self, now: Reading) -> Time {
        let passed = Span((now.steady.0 - self.steady.0).max(0));
        let straight = self.shown.plus(passed);
        let most = passed.0 / SLEW_PARTS;
        straight.plus(Span((now.of_day.0 - straight.0).clamp(-most, most)))
    }

    /// Returns its present value, and remembers it once enough time has passed. Call it often: a change of the time of
    /// day counts only for the time since the last step.
    pub fn step(&mut self, now: Reading) -> Time {
        let shown = self.at(now);
        if now.steady.0 - self.steady.0 >= STEP.0 {
            *self = Self { shown, steady: now.steady };
        }
        shown
    }

    /// Returns its distance from the time of day; positive if it is behind.
    #[must_use]
    pub fn behind(&self, now: Reading) -> Span {
        Span(now.of_day.0 - self.at(now).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(of_day: i64, steady: i64) -> Reading {
        Reading { of_day: Time(of_day * 1_000), steady: Span::from_secs(steady) }
    }

    #[test]
    fn a_minute_stays_a_minute_when_the_clock_is_set_forward_or_back() {
        for jump in [-100_000, -70, 0, 70, 3_600, 100_000_000] {
            let mut clock = SteadyClock::set(reading(1_000_000, 0));
            let mut before = clock.step(reading(1_000_000, 0));
            for second in 1..=60 {
                let now = clock.step(reading(1_000_000 + second + jump, second));
                let passed = now.since(before).0;
                assert!((980..=1_020).contains(&passed), "{jump}: {passed} ms in a second");
                before = now;
            }
        }
    }

    #[test]
    fn it_comes_back_to_the_time_of_day() {
        let mut clock = SteadyClock::set(reading(1_000, 0));
        for second in 1..=3_600 {
            clock.step(reading(1_000 + second + 70, second));
        }
        let now = reading(1_000 + 3_601 + 70, 3_601);
        assert_eq!((clock.at(now), clock.behind(now)), (now.of_day, Span::ZERO));
    }

    #[test]
    fn readings_close_together_do_not_swallow_the_way_back() {
        let mut clock = SteadyClock::set(reading(0, 0));
        let mut at =
            |millis: i64| clock.step(Reading { of_day: Time(millis + 500), steady: Span(millis) });
        for millis in 0..30_000 {
            at(millis);
        }
        assert_eq!(at(30_000), Time(30_500));
    }
}
