//! A clock for waiting: it follows the clock of the machine, and never jumps when somebody sets that. A pause that
//! was to last a minute lasts a minute, whatever happens to the time of day meanwhile.

use crate::time::{Span, Time};

/// By how much it may run faster or slower to come back to the time of day: one part in so many. A minute of it is
/// never shorter than 58.8 seconds.
const SLEW_PARTS: i64 = 50;
/// Readings that are closer together than this share one step, so that rounding does not swallow the slew.
const STEP: Span = Span::from_secs(1);

/// What both clocks show at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The time of day, which people and programs set.
    pub of_day: Time,
    /// Time since some moment that no change of the time of day moves.
    pub steady: Span,
}

/// Begins with the time of day and keeps to the steady one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SteadyClock {
    /// What this clock showed at its last step, and when that was.
    shown: Time,
    steady: Span,
}

impl SteadyClock {
    #[must_use]
    pub const fn set(to: Reading) -> Self {
        Self { shown: to.of_day, steady: to.steady }
    }

    /// What it shows now.
    #[must_use]
    pub fn at(&self, now: Reading) -> Time {
        let passed = Span((now.steady.0 - self.steady.0).max(0));
        let straight = self.shown.plus(passed);
        let most = passed.0 / SLEW_PARTS;
        straight.plus(Span((now.of_day.0 - straight.0).clamp(-most, most)))
    }

    /// What it shows now, remembered once enough time has passed. To be asked often: how far the time of day was set
    /// since the last step counts for the time since then alone.
    pub fn step(&mut self, now: Reading) -> Time {
        let shown = self.at(now);
        if now.steady.0 - self.steady.0 >= STEP.0 {
            *self = Self { shown, steady: now.steady };
        }
        shown
    }

    /// How far it is from the time of day; positive when it is behind.
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
