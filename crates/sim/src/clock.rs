//! The clocks of a run: the time of the simulated world, and the clock of Ralph's machine, which may be off.

use ralph_core::steady_clock::{Reading, SteadyClock};
use ralph_core::time::{Span, Time};
use std::cell::Cell;
use std::rc::Rc;

/// A handle on the clocks of one run; all parts of the world share them.
#[derive(Debug, Clone)]
pub(crate) struct SimClock(Rc<Cell<Clocks>>);

#[derive(Debug, Clone, Copy)]
struct Clocks {
    now: Time,
    /// The error of the time of day on Ralph's machine.
    skew: Span,
    /// The clock by which the live process of Ralph waits.
    steady: SteadyClock,
    /// The latest time that an earlier process of Ralph knew.
    set_back_from: Time,
}

impl Clocks {
    const fn reading(&self) -> Reading {
        Reading { of_day: self.now.plus(self.skew), steady: Span(self.now.0) }
    }
}

impl SimClock {
    pub(crate) fn starting_at(now: Time) -> Self {
        let steady = SteadyClock::set(Reading { of_day: now, steady: Span(now.0) });
        Self(Rc::new(Cell::new(Clocks { now, skew: Span::ZERO, steady, set_back_from: now })))
    }

    fn change(&self, change: impl FnOnce(&mut Clocks)) {
        let mut clocks = self.0.get();
        change(&mut clocks);
        self.0.set(clocks);
    }

    pub(crate) fn now(&self) -> Time {
        self.0.get().now
    }

    pub(crate) fn seconds(&self) -> u64 {
        u64::try_from(self.now().0 / 1_000).unwrap_or(0)
    }

    pub(crate) fn millis(&self) -> u64 {
        u64::try_from(self.now().0).unwrap_or(0)
    }

    /// The time by which Ralph waits.
    pub(crate) fn ralph_time(&self) -> Time {
        let clocks = self.0.get();
        clocks.steady.at(clocks.reading())
    }

    pub(crate) fn set_back_from(&self) -> Time {
        self.0.get().set_back_from
    }

    /// Moves the time of the world and of Ralph's machine on.
    pub(crate) fn pass(&self, to: Time) {
        self.change(|clocks| {
            clocks.now = to.max(clocks.now);
            clocks.steady.step(clocks.reading());
        });
    }

    /// Starts the clock of a new process with the time of day. Returns true if it is ahead of the clock that the process
    /// before had.
    pub(crate) fn restart(&self) -> bool {
        let before = self.ralph_time();
        self.change(|clocks| {
            clocks.set_back_from = clocks.set_back_from.max(before);
            clocks.steady = SteadyClock::set(clocks.reading());
        });
        self.0.get().reading().of_day > before.plus(Span::from_secs(1))
    }

    /// Sets the time of day on Ralph's machine forward or back.
    pub(crate) fn jump(&self, by: Span) {
        self.change(|clocks| clocks.skew = Span(clocks.skew.0 + by.0));
    }
}
