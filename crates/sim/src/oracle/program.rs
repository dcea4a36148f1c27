//! Promises about the agents' program: an outage blames no issue, and an issue that fails alone goes to a person.

use crate::oracle::Oracle;
use ralph_core::account::AccountName;
use ralph_core::fact::Outcome;
use ralph_core::ids::IssueKey;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::EndClass;
use std::collections::{BTreeMap, BTreeSet};

/// Failures that a program which is left alone cannot bring about within ten minutes: the first three, one for each
/// process under way, and tries after growing pauses or because people ask.
const FAILURES_MAX: usize = 40;
const FAILURES_WINDOW: Span = Span::from_mins(10);

/// The real ends of turns, as far as Ralph heard of them.
#[derive(Debug, Default)]
pub(crate) struct ProgramBook {
    /// Until when the program fails.
    pub(crate) broken_until: Time,
    /// The limits of the agents' accounts, and until when they last.
    pub(crate) limits: BTreeMap<AccountName, (Time, EndClass)>,
    /// The ends of limits that were told to Ralph, and when Ralph heard of them, by Ralph's clock.
    told: BTreeMap<AccountName, (Time, Time)>,
    /// Accounts of which a turn failed because of a limit, and none was answered since.
    limited: BTreeSet<AccountName>,
    /// The one issue that it always fails on.
    pub(crate) fails_on: Option<IssueKey>,
    /// The number of answered turns of other issues after a turn of this run had failed.
    alone: BTreeMap<(IssueKey, u32), usize>,
    /// Runs on the one issue that have failed since.
    failed_alone: BTreeSet<(IssueKey, u32)>,
    /// Turns that failed since one was answered.
    in_a_row: Vec<IssueKey>,
    /// The same by step: reviewers may have another program than planners.
    by_step: BTreeMap<Step, usize>,
    /// The times of recent failures.
    failed: Vec<Time>,
    /// Escalations that were looked at.
    judged: BTreeSet<(IssueKey, u32)>,
}

/// Failures in a row that stop all new work.
const IN_A_ROW: usize = 3;
/// Answers to others between the failures of one run, before a person is asked about it; those under way come too.
const ALONE_MAX: usize = 5;

impl ProgramBook {
    /// Has the program failed so often that nothing new is to start?
    pub(crate) fn is_out(&self) -> bool {
        !self.limited.is_empty()
            || self.in_a_row.len() >= IN_A_ROW
            || self.by_step.values().any(|count| *count >= IN_A_ROW)
    }
}

impl Oracle {
    /// Ralph hears how a turn of this run ended.
    pub(crate) fn hear_program(
        &mut self,
        (key, run): (&IssueKey, u32),
        (step, account): (Step, &AccountName),
        outcome: &Outcome,
    ) {
        self.judge_alone(key, run, outcome);
        let now = self.clock.now();
        let book = &mut self.record.program;
        let heard = self.clock.ralph_time();
        match outcome {
            Outcome::AgentFailed { class, .. } if class.is_of_account() => {
                book.limited.insert(account.clone());
                match class.until().filter(|until| *until > heard) {
                    Some(until) => book.told.insert(account.clone(), (heard, until)),
                    None => book.told.remove(account),
                };
            }
            Outcome::AgentFailed { .. } => {
                book.in_a_row.push(key.clone());
                *book.by_step.entry(step).or_insert(0) += 1;
                book.failed.push(now);
                book.failed.retain(|at| at.plus(FAILURES_WINDOW) > now);
            }
            Outcome::Turn { .. } => {
                book.told.remove(account);
                book.limited.remove(account);
                book.in_a_row.clear();
                book.by_step.remove(&step);
            }
            _other => {}
        }
        if self.record.program.failed.len() > FAILURES_MAX {
            let line =
                format!("{FAILURES_MAX} turns failed in {FAILURES_WINDOW}, and more are started");
            self.broken("B1", line);
        }
    }

    /// B3: no turn is started while its account is known to be limited.
    pub(crate) fn judge_limited_start(
        &mut self,
        key: &IssueKey,
        account: &AccountName,
        decided: Time,
    ) {
        let Some(&(heard, until)) = self.record.program.told.get(account) else { return };
        if heard < decided && decided < until && decided >= self.clock.set_back_from() {
            let line = format!(
                "a turn of {key} was started with {account} at {decided}, limited until {until}"
            );
            self.broken("B3", line);
        }
    }

    /// B2: an issue that the program fails on alone is for a person in the end.
    fn judge_alone(&mut self, key: &IssueKey, run: u32, outcome: &Outcome) {
        let book = &mut self.record.program;
        let is_the_one = book.fails_on.as_ref() == Some(key);
        match outcome {
            // The account fails for all, and says nothing about the program.
            Outcome::AgentFailed { class, .. } if class.is_of_account() => {}
            Outcome::AgentFailed { .. } if is_the_one => {
                book.failed_alone.insert((key.clone(), run));
            }
            // It may fail for all: then none is to blame.
            Outcome::AgentFailed { .. } => {
                book.alone.clear();
                book.failed_alone.clear();
            }
            Outcome::Turn { .. } if !is_the_one => {
                for failed in std::mem::take(&mut book.failed_alone) {
                    *book.alone.entry(failed).or_insert(0) += 1;
                }
            }
            _other => {}
        }
        let spared = book.alone.iter().find(|(_, times)| **times > ALONE_MAX);
        if let Some(((key, run), times)) = spared {
            let line = format!("run {run} of {key} failed {times} times while others worked");
            self.broken("B2", line);
        }
    }

    /// No person is asked about an issue because a program fails that fails for all.
    pub(crate) fn judge_program_blame(&mut self, key: &IssueKey, episode: u32, cause: &str) {
        // While the clock is set back what was heard last may seem to be older.
        let is_certain = self.clock.ralph_time() >= self.clock.set_back_from();
        if !cause.contains("usage limit")
            || !self.record.program.judged.insert((key.clone(), episode))
        {
            return;
        }
        let row = &self.record.program.in_a_row;
        if is_certain && row.len() >= IN_A_ROW && row.contains(key) {
            self.broken("B1", format!("{key} is blamed for a program that fails for all"));
        }
    }
}
