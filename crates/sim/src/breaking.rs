//! An agents' program that fails at once, for every issue and for a while: a usage limit, a mistyped command. Then it is
//! mended.

use crate::town::Town;
use crate::weather::Fault;
use ralph_core::fact::Outcome;
use ralph_core::ids::IssueKey;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// The time for which it fails, in milliseconds: too short to be noticed, up to several tries.
const BROKEN_MILLIS: (u64, u64) = (20_000, 1_500_000);
/// It is drawn so many times more seldom than others: each time it strikes many turns.
const SELDOM: u64 = 6;
/// Its last words.
pub(crate) const SAYS: &str = "exit status 1\nusage limit reached";

/// Failures that a program which is left alone cannot bring about within ten minutes: the first three, one for each
/// process under way, and tries after growing pauses or because people ask.
const FAILURES_MAX: usize = 40;
const FAILURES_WINDOW: Span = Span::from_mins(10);

/// The real ends of turns, as far as Ralph heard of them.
#[derive(Debug, Default)]
pub(crate) struct ProgramBook {
    /// Until when the program fails.
    broken_until: Time,
    /// Turns that failed since one was answered.
    in_a_row: Vec<IssueKey>,
    /// The same by step: reviewers may have another program than planners.
    by_step: BTreeMap<Step, usize>,
    /// When turns failed, of late.
    failed: Vec<Time>,
    /// Escalations that were looked at.
    judged: BTreeSet<(IssueKey, u32)>,
}

/// Failures in a row that stop all new work.
const IN_A_ROW: usize = 3;

impl ProgramBook {
    /// Has the program failed so often that nothing new is to start?
    pub(crate) fn is_out(&self) -> bool {
        self.in_a_row.len() >= IN_A_ROW || self.by_step.values().any(|count| *count >= IN_A_ROW)
    }
}

impl Town {
    /// Does the program fail? At the start of a turn it may break.
    pub(crate) fn program_fails(&mut self, may_break: bool) -> bool {
        if self.weather.is_calm {
            return false;
        }
        let is_broken = self.ledger.program.broken_until > self.now;
        let breaks = may_break
            && !is_broken
            && self.weather.threatens(Fault::AgentProgramFails, SELDOM, &mut self.prng);
        if breaks {
            let lasts = self.prng.between(BROKEN_MILLIS.0, BROKEN_MILLIS.1);
            let lasts = Span(i64::try_from(lasts).unwrap_or(0));
            self.ledger.program.broken_until = self.now.plus(lasts);
            self.say("the agents' program breaks");
        }
        is_broken || breaks
    }

    /// Ralph hears how a turn ended.
    pub(crate) fn hear_program(&mut self, key: &IssueKey, step: Step, outcome: &Outcome) {
        let now = self.now;
        let book = &mut self.ledger.program;
        match outcome {
            Outcome::AgentFailed { .. } => {
                book.in_a_row.push(key.clone());
                *book.by_step.entry(step).or_insert(0) += 1;
                book.failed.push(now);
                book.failed.retain(|at| at.plus(FAILURES_WINDOW) > now);
            }
            Outcome::Turn { .. } => {
                book.in_a_row.clear();
                book.by_step.remove(&step);
            }
            _other => {}
        }
        if self.ledger.program.failed.len() > FAILURES_MAX {
            let line =
                format!("{FAILURES_MAX} turns failed in {FAILURES_WINDOW}, and more are started");
            self.broken("B1", line);
        }
    }

    /// No person is asked about an issue because a program fails that fails for all.
    pub(crate) fn judge_program_blame(&mut self, key: &IssueKey, episode: u32, cause: &str) {
        // While the clock is set back what was heard last may seem to be older.
        let is_certain = self.ralph_time() >= self.set_back_from;
        if !cause.contains("usage limit")
            || !self.ledger.program.judged.insert((key.clone(), episode))
        {
            return;
        }
        let row = &self.ledger.program.in_a_row;
        if is_certain && row.len() >= IN_A_ROW && row.contains(key) {
            self.broken("B1", format!("{key} is blamed for a program that fails for all"));
        }
    }
}
