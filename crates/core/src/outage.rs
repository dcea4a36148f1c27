//! Outages of the agents' program: it cannot be started, or ends with an error instead of an answer, several times in a
//! row on any issues. No issue is blamed and nothing new starts; one try at a time, after growing pauses, shows when it
//! is over.

use crate::account::{AccountName, AccountTurns};
use crate::excerpt::Excerpt;
use crate::fact::Outcome;
use crate::ids::{IssueKey, RepoName};
use crate::repo::Repo;
use crate::steps::Step;
use crate::time::{Span, Time};
use crate::turn_end::EndClass;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Failures in a row that make an outage.
pub const FAILURES_MIN: usize = 3;
/// Failures of one run's agents in a row, while turns of other issues succeed, before a person is asked. As long as no
/// other turn was tried it may be an outage.
pub const RUN_FAILURES_MAX: u32 = 3;
/// Failures of one issue at one step before a person is asked although no other issue's turn at that step has worked:
/// turns at other steps have, and no other issue may ever come to this one.
const STEP_FAILURES_MAX: usize = 5;
/// Failures remembered of one repository: with this many the pauses between tries are at their longest.
const FAILURES_KEPT_MAX: usize = 8;
/// The pause before the first try, doubled for each failure.
const PROBE_FIRST: Span = Span::from_mins(1);
/// The longest pause: a repair is noticed within half an hour.
const PROBE_MAX: Span = Span::from_mins(30);
/// Longest reason of a failure that is kept.
const REASON_BYTES_MAX: usize = 300;

/// The latest results of the turns of a repository's agents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Turns {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    failures: Vec<TurnFailure>,
    /// The last time that a turn of each step ended with an answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    worked: BTreeMap<Step, Time>,
    /// The last time that a person asked for work here, which makes a try due at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<Time>,
    /// The accounts that were limited, refused or overloaded.
    #[serde(default, skip_serializing_if = "AccountTurns::is_empty")]
    pub(crate) accounts: AccountTurns,
}

/// A turn that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnUnderWay {
    pub step: Step,
    pub account: AccountName,
    pub started: Time,
    /// It was tried although its account was limited.
    pub is_probe: bool,
}

/// A turn whose program failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnFailure {
    pub at: Time,
    pub issue: u64,
    pub step: Step,
    pub reason: String,
}

impl Turns {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in the end of a turn. A turn that stalls, leaves an unusable result or does not fit into the model counts
    /// neither as success nor as failure, and one that fails because of its account says nothing about the program.
    pub(crate) fn hear(&mut self, now: Time, issue: u64, turn: &TurnUnderWay, outcome: &Outcome) {
        let step = turn.step;
        match outcome {
            Outcome::AgentFailed { reason, class } if class.is_of_account() => {
                self.accounts.fail(now, &turn.account, *class, reason);
            }
            Outcome::AgentFailed { class: EndClass::ContextFull, .. } => {}
            Outcome::AgentFailed { reason, .. } => {
                let reason = Excerpt::of(reason.trim(), REASON_BYTES_MAX).into();
                // Successes came before this failure, even if the clock was set back since.
                self.worked.values_mut().for_each(|at| *at = (*at).min(Time(now.0 - 1)));
                self.failures.push(TurnFailure { at: now, issue, step, reason });
                let more = self.failures.len().saturating_sub(FAILURES_KEPT_MAX);
                self.failures.drain(..more);
            }
            Outcome::Turn { .. } => {
                self.worked.insert(step, now);
                self.failures.retain(|failure| failure.step != step);
                // Failures came before this success, even if the clock was set back since.
                self.failures.iter_mut().for_each(|failure| failure.at = failure.at.min(now));
                self.accounts.work(now, turn);
            }
            Outcome::WorkspaceReady { .. }
            | Outcome::WorkspaceConflict { .. }
            | Outcome::CommandsPassed { .. }
            | Outcome::CommandsFailed { .. }
            | Outcome::TimedOut { .. }
            | Outcome::Stalled { .. }
            | Outcome::WorkspaceLost { .. }
            | Outcome::Failed { .. } => {}
        }
    }

    /// Notes that a person asks for work, so whatever was wrong may be repaired.
    pub(crate) const fn ask(&mut self, now: Time) {
        self.asked = Some(now);
    }

    pub(crate) const fn asked(&self) -> Option<Time> {
        self.asked
    }

    pub(crate) fn has_failed(&self, issue: u64) -> bool {
        self.failed_at(issue).is_some()
    }

    /// The last time that a turn of this issue failed, as far as remembered. Issues without a failure are tried first.
    pub(crate) fn failed_at(&self, issue: u64) -> Option<Time> {
        let of_it = self.failures.iter().filter(|failure| failure.issue == issue);
        of_it.map(|failure| failure.at).max()
    }

    pub(crate) const fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }
}

/// The reason why nothing new starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outage {
    /// Turns that failed in a row, as far as they are remembered.
    pub failures: usize,
    pub since: Time,
    pub last: Time,
    /// The error of the last of them.
    pub reason: String,
    /// The time at which one turn may be tried.
    pub probe_at: Time,
    /// Issues whose turns failed.
    pub issues: Vec<IssueKey>,
    /// True if turns at other steps have worked since it began, and go on working.
    pub works_elsewhere: bool,
}

impl Outage {
    /// The only issue whose turns failed, if there is just one: another issue's turn shows whether the program fails
    /// for all.
    #[must_use]
    pub fn only_issue(&self) -> Option<&IssueKey> {
        let [only] = self.issues.as_slice() else { return None };
        Some(only)
    }

    /// True if the program has failed on this issue alone for so long that the issue is the likely cause.
    #[must_use]
    pub fn is_of(&self, issue: &IssueKey) -> bool {
        self.works_elsewhere
            && self.failures >= STEP_FAILURES_MAX
            && self.only_issue() == Some(issue)
    }

    /// Returns the present outage, if there is one. Failures are in a row if no turn has succeeded since, of any step
    /// or of their own: reviewers may have another program than planners.
    #[must_use]
    pub fn of<'a>(repos: impl Iterator<Item = (&'a RepoName, &'a Repo)> + Clone) -> Option<Self> {
        let mut failures: Vec<(&RepoName, &TurnFailure)> = repos
            .clone()
            .flat_map(|(name, repo)| repo.turns.failures.iter().map(move |failure| (name, failure)))
            .collect();
        if failures.len() < FAILURES_MIN {
            return None;
        }
        failures.sort_by_key(|(name, failure)| (failure.at, *name, failure.issue));
        let mut worked: BTreeMap<Step, Time> = BTreeMap::new();
        for (step, at) in repos.clone().flat_map(|(_, repo)| &repo.turns.worked) {
            let latest = worked.entry(*step).or_insert(*at);
            *latest = (*at).max(*latest);
        }
        let last_worked = worked.values().max();
        let in_a_row = failures.iter().filter(|(_, it)| last_worked.is_none_or(|at| it.at > *at));
        let mut longest: Vec<_> = in_a_row.copied().collect();
        let in_a_row = longest.len();
        for step in failures.iter().map(|(_, failure)| failure.step) {
            let since = worked.get(&step);
            let of_step = failures
                .iter()
                .filter(|(_, it)| it.step == step && since.is_none_or(|at| it.at > *at));
            let of_step: Vec<_> = of_step.copied().collect();
            if of_step.len() > longest.len() {
                longest = of_step;
            }
        }
        let (_, last) = longest.last().filter(|_| longest.len() >= FAILURES_MIN)?;
        let more = u32::try_from(longest.len() - FAILURES_MIN).unwrap_or(u32::MAX);
        let pause = last.at.plus(PROBE_FIRST.doubled(more, PROBE_MAX));
        let asked = repos.filter_map(|(_, repo)| repo.turns.asked).max();
        let mut issues: Vec<_> =
            longest.iter().map(|(name, it)| IssueKey::new((*name).clone(), it.issue)).collect();
        issues.sort();
        issues.dedup();
        let since = longest.first().map_or(last.at, |(_, first)| first.at);
        Some(Self {
            failures: longest.len(),
            since,
            last: last.at,
            reason: last.reason.clone(),
            probe_at: asked.filter(|at| *at > last.at).unwrap_or(pause),
            works_elsewhere: last_worked.is_some_and(|at| *at > since) && in_a_row < FAILURES_MIN,
            issues,
        })
    }
}
