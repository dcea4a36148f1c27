//! Lines for a person who watches a run live: short, and not more than a person can follow.

use crate::jobs::Ticket;
use ralph_contain::Moment;
use ralph_core::excerpt::Excerpt;
use std::time::Duration;

/// More than a person can read while it scrolls by.
const LINES_PER_SECOND_MAX: u32 = 20;
const LINE_BYTES_MAX: usize = 240;

#[derive(Debug)]
pub(crate) struct Progress<'a> {
    ticket: &'a Ticket,
    second: Moment,
    shown: u32,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(ticket: &'a Ticket) -> Self {
        Self { ticket, second: Moment::now(), shown: 0 }
    }

    pub(crate) fn show(&mut self, line: &str) {
        if self.shown >= LINES_PER_SECOND_MAX && self.second.elapsed() < Duration::from_secs(1) {
            return;
        }
        if self.shown >= LINES_PER_SECOND_MAX {
            (self.second, self.shown) = (Moment::now(), 0);
        }
        self.shown += 1;
        self.ticket.show(Excerpt::of(line, LINE_BYTES_MAX).into());
    }
}
