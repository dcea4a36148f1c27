//! The judge of the days: what is known of each account by what was told, counted apart from Ralph.

use ralph_core::account::AccountName;
use ralph_core::escalation::Cause;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::{EndClass, LimitUse, SeenLimit};
use std::collections::BTreeMap;

/// Ralph looks once a minute.
pub(super) const POLL: Span = Span::from_mins(1);
pub(super) const WINDOW: Span = Span::from_mins(5 * 60);
pub(super) const WINDOW_TOKENS: u64 = 100_000;
pub(super) const HARD_MILLI: u32 = 950;
/// Work goes on within one poll: a window is exact to the minute.
const LATE_MAX: Span = POLL;

#[derive(Debug, Default)]
pub(super) struct Judge {
    accounts: BTreeMap<AccountName, Known>,
    /// The last time that a person asked for work.
    pub(super) asked: Time,
    /// The first breach of each promise.
    pub(super) broken: BTreeMap<&'static str, String>,
    pub(super) turns: u64,
    pub(super) failures: u64,
    /// The number of times that all work had to wait, and that it went on.
    pub(super) held: u64,
    pub(super) resumed: u64,
    is_waiting: bool,
    /// Since when a turn is needed and an account could be used.
    free_since: Option<Time>,
}

/// What was told of one account.
#[derive(Debug, Default)]
struct Known {
    failures: u32,
    failed: Option<(Time, EndClass)>,
    report: Option<(Time, u32, Option<Time>)>,
    /// Turns in a row that were tried although a limit was reported.
    probes: u32,
    points: Vec<(Time, u64)>,
    under_way: usize,
    /// The last news of it.
    heard: Option<Time>,
}

impl Known {
    /// The time before which no turn may be started.
    fn free_at(&self, now: Time, asked: Time) -> Time {
        let held = self.failed.map(|(at, class)| self.hold(at, class, asked));
        let reported =
            self.report.filter(|(_, used, _)| *used >= HARD_MILLI).map(|(at, _, resets)| {
                let pause = Span::from_mins(15).doubled(self.probes, Span::from_mins(240));
                resets.unwrap_or(at.plus(pause))
            });
        let counted = self.counted(now);
        held.into_iter().chain(reported).chain(counted).max().unwrap_or(Time(0))
    }

    fn hold(&self, at: Time, class: EndClass, asked: Time) -> Time {
        let (first, most) = match class {
            EndClass::UsageLimit { .. } | EndClass::NeedsLogin | EndClass::UnknownModel => {
                (15, 240)
            }
            EndClass::RateLimit { .. }
            | EndClass::Overloaded
            | EndClass::Crashed
            | EndClass::PermissionRefused
            | EndClass::ContextFull
            | EndClass::Cancelled => (1, 30),
        };
        let pause = Span::from_mins(first).doubled(self.failures - 1, Span::from_mins(most));
        let untold = if asked > at { asked } else { at.plus(pause) };
        class.until().filter(|until| *until > at).unwrap_or(untold)
    }

    /// The time at which enough tokens have left the window.
    fn counted(&self, now: Time) -> Option<Time> {
        let inside = self.points.iter().filter(|(at, _)| at.plus(WINDOW) > now);
        let mut left: u64 = inside.clone().map(|(_, tokens)| tokens).sum();
        let is_hard = |left: u64| left * 1_000 / WINDOW_TOKENS >= u64::from(HARD_MILLI);
        if !is_hard(left) {
            return None;
        }
        let mut inside = inside;
        let over = inside.find(|(_, tokens)| {
            left -= tokens;
            !is_hard(left)
        });
        over.map(|(at, _)| at.plus(WINDOW))
    }
}

impl Judge {
    fn breaks(&mut self, now: Time, rule: &'static str, how: &str) {
        self.broken.entry(rule).or_insert_with(|| format!("{how} at {now}"));
    }

    fn known(&mut self, account: &AccountName) -> &mut Known {
        self.accounts.entry(account.clone()).or_default()
    }

    /// Returns whether the turn is one that is tried although its account is limited.
    pub(super) fn starts(&mut self, now: Time, account: &AccountName) -> bool {
        self.turns += 1;
        self.resumed += u64::from(std::mem::take(&mut self.is_waiting));
        let asked = self.asked;
        let known = self.known(account);
        let free_at = known.free_at(now, asked);
        let is_held = known.failures > 0;
        let has_report = known.report.is_some_and(|(at, used, resets)| {
            used >= HARD_MILLI && resets.is_none() && at.plus(Span::from_mins(7 * 24 * 60)) > now
        });
        let (is_second, failures) = (known.under_way > 0, known.failures);
        let is_probe = is_held || has_report;
        known.under_way += 1;
        // News of the same instant may have come after the start.
        if known.heard == Some(now) {
            return is_probe;
        }
        if now < free_at {
            let told = format!("{account} until {free_at}: {:?}", self.known(account));
            self.breaks(now, "started while hard", &told);
        } else if is_held && is_second && failures > 0 {
            self.breaks(now, "started while hard", &format!("{account} is tried already"));
        }
        is_probe
    }

    pub(super) fn failed(&mut self, now: Time, account: &AccountName, class: EndClass) {
        self.failures += 1;
        let known = self.known(account);
        known.under_way -= 1;
        known.failures = (known.failures + 1).min(8);
        known.failed = Some((now, class));
        known.heard = Some(now);
    }

    pub(super) fn answered(
        &mut self,
        now: Time,
        (account, began, is_probe): (&AccountName, Time, bool),
        tokens: u64,
        limits: &[SeenLimit],
    ) {
        let known = self.known(account);
        known.under_way -= 1;
        (known.failures, known.failed) = (0, None);
        known.probes = if is_probe { known.probes + 1 } else { 0 };
        known.points.retain(|(at, _)| at.plus(WINDOW) > now);
        known.points.push((now, tokens));
        known.heard = Some(now);
        // Without a reset the answer of a turn that began later ends it.
        known.report = known.report.filter(|(at, _, resets)| match resets {
            Some(resets) => *resets > now,
            None => began <= *at,
        });
        for limit in limits {
            if let LimitUse::Milli(used) = limit.used {
                known.report = Some((now, used, limit.resets));
            }
        }
    }

    pub(super) fn escalated(&mut self, now: Time, number: u64, cause: &Cause) {
        self.breaks(now, "escalated", &format!("{number} because of {cause:?}"));
    }

    /// Ralph died: its turns are gone.
    pub(super) fn forget_turns(&mut self) {
        for known in self.accounts.values_mut() {
            known.under_way = 0;
        }
    }

    /// The earliest time at which an account may be used again.
    fn free_at(&self, now: Time) -> Option<Time> {
        self.accounts.values().map(|known| known.free_at(now, self.asked)).min()
    }

    /// `is_waiting`: a turn is needed, and none is under way.
    pub(super) fn idle(&mut self, now: Time, is_waiting: bool) {
        self.held += u64::from(is_waiting && !self.is_waiting);
        self.is_waiting = is_waiting;
        let is_free = self.free_at(now).is_none_or(|at| at <= now);
        self.free_since = (is_waiting && is_free).then(|| self.free_since.unwrap_or(now));
        if let Some(since) = self.free_since.filter(|since| since.plus(LATE_MAX) <= now) {
            let told = format!("since {since}: {:?}", self.accounts);
            self.breaks(now, "not resumed", &told);
        }
    }

    /// The time at which work has to go on at the latest.
    pub(super) fn next_look(&self, now: Time) -> Option<Time> {
        let at = self.free_since.or_else(|| self.free_at(now)).filter(|_| self.is_waiting)?;
        Some(if at > now { at } else { at.plus(LATE_MAX) })
    }
}
