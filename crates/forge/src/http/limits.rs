//! The limits of a user: so many requests in an hour, and so many changes in a minute.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The primary limit's window, in seconds.
const WINDOW_SECONDS: u64 = 3600;
/// The secondary limit's window, in seconds.
const BURST_SECONDS: u64 = 60;

/// The use so far, by login.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Limits {
    hours: BTreeMap<String, Window>,
    minutes: BTreeMap<String, Window>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Window {
    /// Unix seconds.
    ends_at: u64,
    used: u32,
}

/// The state of a user's primary limit, as the headers say it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) limit: u32,
    pub(super) used: u32,
    /// Unix seconds.
    pub(super) reset: u64,
}

/// GitHub's limit for those it does not know. Nothing is answered to them here, so nothing is used.
const NOBODY_REQUESTS_MAX: u32 = 60;

impl Allowance {
    pub(super) fn of_nobody(now: u64) -> Self {
        Self { limit: NOBODY_REQUESTS_MAX, used: 0, reset: now + WINDOW_SECONDS }
    }

    pub(super) fn remaining(self) -> u32 {
        self.limit.saturating_sub(self.used)
    }
}

impl Window {
    /// The window as it is now: a new one when the old is over.
    fn at(self, now: u64, seconds: u64) -> Self {
        if now < self.ends_at { self } else { Self { ends_at: now + seconds, used: 0 } }
    }
}

impl Limits {
    pub(super) fn allowance(&self, login: &str, limit: u32, now: u64) -> Allowance {
        let window = self.hours.get(login).copied().unwrap_or_default().at(now, WINDOW_SECONDS);
        Allowance { limit, used: window.used, reset: window.ends_at }
    }

    pub(super) fn charge(&mut self, login: &str, now: u64) {
        let window = self.hours.entry(login.to_owned()).or_default();
        *window = window.at(now, WINDOW_SECONDS);
        window.used = window.used.saturating_add(1);
    }

    /// Counts a change; the answer is how many seconds to wait when there were too many.
    pub(super) fn change(&mut self, login: &str, max: Option<u32>, now: u64) -> Result<(), u64> {
        let Some(max) = max else { return Ok(()) };
        let window = self.minutes.entry(login.to_owned()).or_default();
        *window = window.at(now, BURST_SECONDS);
        if window.used >= max {
            return Err(window.ends_at - now);
        }
        window.used += 1;
        Ok(())
    }
}
