//! The throttle: how much of each account's windows is used, and what follows. Soft: nothing new is claimed. Hard: no turn
//! is started. The worst window counts. Sources are the limits that programs report, the times in their errors, and
//! Ralph's own counts.

use crate::account::{
    AccountHold, AccountName, LONG_FIRST, LONG_MAX, ReportedLimit, reported_limits,
};
use crate::books::{Amount, Point};
use crate::ids::RepoName;
use crate::repo::Repo;
use crate::time::{Span, Time};
use crate::turn_end::LimitUse;
use serde::Serialize;

/// The whole of a limit, in thousandths.
const WHOLE: u64 = 1_000;

/// The operator's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    /// The part of a limit from which nothing new is claimed, in thousandths.
    pub soft_milli: u32,
    /// The part from which no turn is started.
    pub hard_milli: u32,
    pub windows: Vec<WindowRule>,
}

impl Default for Throttle {
    fn default() -> Self {
        Self { soft_milli: 800, hard_milli: 950, windows: Vec::new() }
    }
}

/// A window in which Ralph counts by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowRule {
    pub name: String,
    pub length: Span,
    /// Its tokens in this time.
    pub tokens: u64,
    /// The only account that it is for.
    pub account: Option<AccountName>,
}

impl Throttle {
    const fn level(&self, share_milli: u64) -> Level {
        if share_milli >= self.hard_milli as u64 {
            Level::Hard
        } else if share_milli >= self.soft_milli as u64 {
            Level::Soft
        } else {
            Level::Free
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Free,
    /// Nothing new is claimed.
    Soft,
    /// No turn is started.
    Hard,
}

/// The source of a window's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Ralph's own count against the operator's limit.
    Counted,
    /// The program's report.
    Reported,
}

/// The use of one window of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WindowUse {
    pub window: String,
    pub source: Source,
    /// Tokens, as far as Ralph counts them.
    pub used: u64,
    pub limit: Option<u64>,
    /// In thousandths of the limit.
    pub share_milli: u64,
    pub level: Level,
    /// The time at which this level is over at the latest; `None` if it is free.
    pub until: Option<Time>,
    /// The time at which one turn may be tried although the level is hard.
    pub probe_at: Option<Time>,
}

/// The use of one account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccountUse {
    pub account: AccountName,
    pub level: Level,
    /// The time at which the level may change by itself.
    pub until: Option<Time>,
    /// While hard: the time at which one turn may be tried.
    pub probe_at: Option<Time>,
    pub windows: Vec<WindowUse>,
    /// The failures that it is held for.
    pub hold: Option<AccountHold>,
}

impl AccountUse {
    /// The use of these accounts, over all repositories.
    pub fn all<'a>(
        names: impl Iterator<Item = AccountName>,
        repos: &(impl Iterator<Item = (&'a RepoName, &'a Repo)> + Clone),
        throttle: &Throttle,
        now: Time,
    ) -> Vec<Self> {
        let holds = AccountHold::all(repos.clone());
        let one = |name: AccountName| {
            let hold = holds.iter().find(|hold| hold.account == name).cloned();
            Self::of(name, &repos.clone().map(|(_, repo)| repo), hold, (throttle, now))
        };
        names.map(one).collect()
    }

    fn of<'a>(
        account: AccountName,
        repos: &(impl Iterator<Item = &'a Repo> + Clone),
        hold: Option<AccountHold>,
        (throttle, now): (&Throttle, Time),
    ) -> Self {
        let points = |length: Span| {
            let tracks = repos.clone().filter_map(|repo| repo.books.account(&account));
            let points = tracks.flat_map(|track| track.after(now.minus(length)));
            let mut points: Vec<Point> = points.copied().collect();
            points.sort_by_key(|point| point.at);
            points
        };
        let is_for = |rule: &&WindowRule| rule.account.as_ref().is_none_or(|it| *it == account);
        let rules = throttle.windows.iter().filter(is_for);
        let counted = rules.map(|rule| counted(rule, &points(rule.length), throttle));
        let (limits, probes) = reported_limits(&account, repos.clone(), now);
        let reported = limits.iter().map(|it| reported(it, probes, throttle));
        let windows: Vec<_> = counted.chain(reported).collect();
        let levels = windows.iter().map(|window| window.level);
        let level = levels.chain(hold.iter().map(|_| Level::Hard)).max().unwrap_or(Level::Free);
        let at_level = windows.iter().filter(|window| window.level == level);
        let hard = windows.iter().filter(|window| window.level == Level::Hard);
        let held = hold.iter().map(|hold| hold.probe_at);
        // A turn is tried only once no window is against it.
        let probes: Option<Vec<Time>> =
            hard.map(|window| window.probe_at).chain(held.clone().map(Some)).collect();
        Self {
            level,
            until: at_level.filter_map(|window| window.until).chain(held).max(),
            probe_at: probes.and_then(|probes| probes.into_iter().max()),
            windows,
            hold,
            account,
        }
    }

    /// The level of its windows alone, without the failures of turns.
    #[must_use]
    pub fn window_level(&self) -> Level {
        self.windows.iter().map(|window| window.level).max().unwrap_or(Level::Free)
    }

    /// The part of its worst window that is used, in thousandths.
    #[must_use]
    pub fn share_milli(&self) -> u64 {
        self.windows.iter().map(|window| window.share_milli).max().unwrap_or_default()
    }

    /// Whether a turn may be started with it, if it has this many turns under way.
    #[must_use]
    pub fn may_start(&self, now: Time, under_way: usize) -> bool {
        let is_probe_due = || self.probe_at.is_some_and(|at| at <= now) && under_way == 0;
        self.level < Level::Hard || is_probe_due()
    }

    /// The times at which its level changes by itself, or a turn is tried.
    pub fn times(&self) -> impl Iterator<Item = Time> {
        let windows = self.windows.iter().flat_map(|window| [window.until, window.probe_at]);
        windows.flatten().chain(self.hold.iter().map(|hold| hold.probe_at))
    }
}

/// What an account used after this time, over all repositories.
pub fn used_since<'a>(
    account: &AccountName,
    repos: impl Iterator<Item = &'a Repo>,
    since: Time,
) -> Amount {
    repos.filter_map(|repo| repo.books.account(account)).map(|track| track.since(since)).sum()
}

/// The use of a window that Ralph counts. It never waits for a probe: its end is known.
fn counted(rule: &WindowRule, points: &[Point], throttle: &Throttle) -> WindowUse {
    let used: u64 = points.iter().map(|point| point.amount.tokens).fold(0, u64::saturating_add);
    let share = |used: u64| used.saturating_mul(WHOLE).checked_div(rule.tokens).unwrap_or(WHOLE);
    let level = throttle.level(share(used));
    let mut left = used;
    let over = points.iter().find(|point| {
        left = left.saturating_sub(point.amount.tokens);
        throttle.level(share(left)) < level
    });
    WindowUse {
        window: rule.name.clone(),
        source: Source::Counted,
        used,
        limit: Some(rule.tokens),
        share_milli: share(used),
        level,
        until: over.map(|point| point.at.plus(rule.length)),
        probe_at: None,
    }
}

/// The use of a window as a program reported it. Without a reset time it is over when its length has passed, unless a turn
/// that is tried before shows otherwise.
fn reported(
    (window, limit): (&String, &ReportedLimit),
    probes: u32,
    throttle: &Throttle,
) -> WindowUse {
    let share_milli = match limit.used {
        LimitUse::Milli(share) => u64::from(share),
        LimitUse::Near => u64::from(throttle.soft_milli),
        LimitUse::Reached => WHOLE,
    };
    let level = throttle.level(share_milli);
    let ends = limit.at.plus(limit.length);
    let probe_at = limit.at.plus(LONG_FIRST.doubled(probes, LONG_MAX)).min(ends);
    let is_probed = level == Level::Hard && limit.resets.is_none();
    WindowUse {
        window: window.clone(),
        source: Source::Reported,
        used: 0,
        limit: None,
        share_milli,
        level,
        until: Some(limit.resets.unwrap_or(ends)).filter(|_| level > Level::Free),
        probe_at: is_probed.then_some(probe_at),
    }
}
