//! Accounts of agents: the login or key whose limits a turn uses. While an account is limited, refused or overloaded, no
//! turn is started with it; one turn at a time, after the time that was told or growing pauses, shows when that is over.
//! No issue is blamed and no attempt is spent.

use crate::excerpt::Excerpt;
use crate::ids::RepoName;
use crate::outage::{TurnUnderWay, Turns};
use crate::repo::Repo;
use crate::stored::is_default;
use crate::time::{Span, Time};
use crate::turn_end::{EndClass, LimitUse, SeenLimit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Failures remembered of one account and repository: with this many the pauses are at their longest.
const FAILURES_KEPT_MAX: usize = 8;
/// The pause after a failure that a person or a new period has to end, doubled for each further one.
pub(crate) const LONG_FIRST: Span = Span::from_mins(15);
pub(crate) const LONG_MAX: Span = Span::from_mins(4 * 60);
/// The pause after a failure that usually ends by itself.
const SHORT_FIRST: Span = Span::from_mins(1);
const SHORT_MAX: Span = Span::from_mins(30);
/// A reset further away than this is a mistake: the longest windows last a week.
const RESET_MAX: Span = Span::from_mins(8 * 24 * 60);
/// Windows remembered of one account; programs report two or three.
const LIMITS_MAX: usize = 8;
/// Longest reason of a failure that is kept.
const REASON_BYTES_MAX: usize = 300;

/// The name of an account, as in the settings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountName(String);

impl AccountName {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for AccountName {
    /// The account of a role without a named one.
    fn default() -> Self {
        Self::new("default")
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The latest ends of the turns of each account in one repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountTurns(BTreeMap<AccountName, Ends>);

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Ends {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    failures: Vec<AccountFailure>,
    /// The last time that a turn ended with an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worked: Option<Time>,
    /// The start of that turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answered_from: Option<Time>,
    /// The limits that its program reported last, by their window.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    limits: BTreeMap<String, ReportedLimit>,
    /// Turns in a row that were tried although a limit was reached.
    #[serde(default, skip_serializing_if = "is_default")]
    probes: u32,
}

/// A limit as a program reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReportedLimit {
    pub(crate) at: Time,
    pub(crate) length: Span,
    pub(crate) used: LimitUse,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resets: Option<Time>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct AccountFailure {
    at: Time,
    class: EndClass,
    reason: String,
}

impl AccountTurns {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The accounts that have failed here since they last worked here.
    pub(crate) fn failing(&self) -> impl Iterator<Item = &AccountName> {
        self.0.iter().filter(|(_, ends)| !ends.failures.is_empty()).map(|(name, _)| name)
    }

    pub(crate) fn fail(&mut self, now: Time, name: &AccountName, class: EndClass, reason: &str) {
        let ends = self.0.entry(name.clone()).or_default();
        // A success came before this failure, even if the clock was set back since.
        ends.worked = ends.worked.map(|at| at.min(Time(now.0 - 1)));
        let reason = Excerpt::of(reason.trim(), REASON_BYTES_MAX).into();
        ends.failures.push(AccountFailure { at: now, class, reason });
        let more = ends.failures.len().saturating_sub(FAILURES_KEPT_MAX);
        ends.failures.drain(..more);
    }

    /// Notes a turn that ended with an answer, here or after failures in another repository.
    pub(crate) fn work(&mut self, now: Time, turn: &TurnUnderWay) {
        let ends = self.0.entry(turn.account.clone()).or_default();
        ends.failures.clear();
        ends.worked = Some(now);
        ends.answered_from = Some(turn.started);
        ends.probes = if turn.is_probe { ends.probes.saturating_add(1) } else { 0 };
        ends.limits.retain(|_, limit| limit.is_in_force(now, Some(turn.started)));
    }

    /// Notes the limits that the program of a turn reported.
    pub(crate) fn see(&mut self, now: Time, name: &AccountName, limits: &[SeenLimit]) {
        if limits.is_empty() {
            return;
        }
        let ends = self.0.entry(name.clone()).or_default();
        for SeenLimit { window, length, used, resets } in limits {
            if ends.limits.len() >= LIMITS_MAX && !ends.limits.contains_key(window) {
                continue;
            }
            let resets = resets.filter(|at| *at > now).map(|at| at.min(now.plus(RESET_MAX)));
            let reported = ReportedLimit { at: now, length: *length, used: *used, resets };
            ends.limits.insert(window.clone(), reported);
        }
    }
}

impl ReportedLimit {
    /// False once its window is over, or if it had no end and a later turn got an answer without hearing of it.
    fn is_in_force(&self, now: Time, answered_from: Option<Time>) -> bool {
        match self.resets {
            Some(at) => at > now,
            None => {
                self.at.plus(self.length) > now && answered_from.is_none_or(|from| from <= self.at)
            }
        }
    }
}

/// The limits in force that were reported for an account in any repository, and the number of turns that were tried in a
/// row although one was reached.
pub(crate) fn reported_limits<'a>(
    name: &AccountName,
    repos: impl Iterator<Item = &'a Repo> + Clone,
    now: Time,
) -> (BTreeMap<String, ReportedLimit>, u32) {
    let ends = repos.filter_map(|repo| repo.turns.accounts.0.get(name));
    let answered_from = ends.clone().filter_map(|ends| ends.answered_from).max();
    let latest = ends.clone().max_by_key(|ends| ends.worked);
    let probes = latest.map_or(0, |ends| ends.probes);
    let mut limits: BTreeMap<String, ReportedLimit> = BTreeMap::new();
    for (window, limit) in ends.flat_map(|ends| &ends.limits) {
        if limit.is_in_force(now, answered_from)
            && limits.get(window).is_none_or(|known| known.at < limit.at)
        {
            limits.insert(window.clone(), *limit);
        }
    }
    (limits, probes)
}

/// The reason why no turn is started with an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccountHold {
    pub account: AccountName,
    pub class: EndClass,
    /// The words of the program at the last failure.
    pub reason: String,
    /// Failures since an answer, as far as they are remembered.
    pub failures: usize,
    pub since: Time,
    /// The time at which one turn may be tried.
    pub probe_at: Time,
    /// True if the program told that time.
    pub is_told: bool,
}

impl AccountHold {
    /// All accounts that are held, over all repositories.
    #[must_use]
    pub fn all<'a>(repos: impl Iterator<Item = (&'a RepoName, &'a Repo)>) -> Vec<Self> {
        let turns: Vec<&Turns> = repos.map(|(_, repo)| &repo.turns).collect();
        let mut names: Vec<&AccountName> =
            turns.iter().flat_map(|turns| turns.accounts.failing()).collect();
        names.sort();
        names.dedup();
        names.into_iter().filter_map(|name| Self::of(name, &turns)).collect()
    }

    fn of(name: &AccountName, turns: &[&Turns]) -> Option<Self> {
        let ends = turns.iter().filter_map(|turns| turns.accounts.0.get(name));
        let worked = ends.clone().filter_map(|ends| ends.worked).max();
        let mut failures: Vec<&AccountFailure> = ends
            .flat_map(|ends| &ends.failures)
            .filter(|failure| worked.is_none_or(|at| failure.at > at))
            .collect();
        failures.sort_by_key(|failure| failure.at);
        let (first, last) = (failures.first()?, failures.last()?);
        let told = last.class.until().filter(|until| *until > last.at);
        let told = told.map(|until| until.min(last.at.plus(RESET_MAX)));
        let more = u32::try_from(failures.len() - 1).unwrap_or(u32::MAX);
        let (pause, longest) = pauses(last.class);
        let paused = last.at.plus(pause.doubled(more, longest));
        // A person who asks for work may have repaired it, which no reset time is.
        let asked = turns.iter().filter_map(|turns| turns.asked()).max();
        let untold = asked.filter(|at| *at > last.at).unwrap_or(paused);
        Some(Self {
            account: name.clone(),
            class: last.class,
            reason: last.reason.clone(),
            failures: failures.len(),
            since: first.at,
            probe_at: told.unwrap_or(untold),
            is_told: told.is_some(),
        })
    }
}

/// The first and the longest pause after a failure of this class.
const fn pauses(class: EndClass) -> (Span, Span) {
    match class {
        EndClass::UsageLimit { .. } | EndClass::NeedsLogin | EndClass::UnknownModel => {
            (LONG_FIRST, LONG_MAX)
        }
        EndClass::RateLimit { .. }
        | EndClass::Overloaded
        | EndClass::Crashed
        | EndClass::PermissionRefused
        | EndClass::ContextFull
        | EndClass::Cancelled => (SHORT_FIRST, SHORT_MAX),
    }
}
