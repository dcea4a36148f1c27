//! An agents' program that fails at once, for every issue and for a while: a usage limit, a mistyped command. Then it is
//! mended. Or it fails on one issue alone, as long as the weather lasts.

use crate::town::Town;
use crate::weather::Fault;
use ralph_core::fact::Outcome;
use ralph_core::ids::IssueKey;
use ralph_core::job::Turn;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// The time for which it fails, in milliseconds: too short to be noticed, up to several tries.
const BROKEN_MILLIS: (u64, u64) = (20_000, 1_500_000);
/// It is drawn so many times more seldom than others: each time it strikes many turns.
const SELDOM: u64 = 6;
/// One issue that it fails on is drawn that many times more seldom than other faults.
const ON_ONE_SELDOM: u64 = 2;
/// Its last words.
pub(crate) const SAYS: &str = "exit status 1\nusage limit reached";
/// Its last words on the one issue that it fails on.
pub(crate) const SAYS_ON_ONE: &str = "exit status 139\nstack overflow";

/// Failures that a program which is left alone cannot bring about within ten minutes: the first three, one for each
/// process under way, and tries after growing pauses or because people ask.
const FAILURES_MAX: usize = 40;
const FAILURES_WINDOW: Span = Span::from_mins(10);

/// The real ends of turns, as far as Ralph heard of them.
#[derive(Debug, Default)]
pub(crate) struct ProgramBook {
    /// Until when the program fails.
    broken_until: Time,
    /// The one issue that it always fails on.
    fails_on: Option<IssueKey>,
    /// How often a turn of another issue was answered after one of this run had failed.
    alone: BTreeMap<(IssueKey, u32), usize>,
    /// Runs on the one issue that have failed since.
    failed_alone: BTreeSet<(IssueKey, u32)>,
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
/// Answers to others between the failures of one run, before a person is asked about it; those under way come too.
const ALONE_MAX: usize = 5;

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

    /// Does the program fail on this issue alone?
    pub(crate) fn program_fails_on(&mut self, key: &IssueKey) -> bool {
        if self.weather.is_calm {
            return false;
        }
        let is_chosen = self.ledger.program.fails_on.is_none()
            && self.weather.threatens(Fault::AgentFailsOnOne, ON_ONE_SELDOM, &mut self.prng);
        if is_chosen {
            self.say(&format!("the agents' program fails on {key} from now on"));
            self.ledger.program.fails_on = Some(key.clone());
        }
        let fails = self.ledger.program.fails_on.as_ref() == Some(key);
        if fails {
            self.weather.count(Fault::AgentFailsOnOne);
        }
        fails
    }

    /// A turn on the issue that the program fails on is over at once.
    pub(crate) fn ends_at_once(&self, turn: &Turn) -> bool {
        let key = self.ledger.program.fails_on.as_ref().filter(|_| !self.weather.is_calm);
        key.is_some_and(|key| {
            turn.run.issue == key.number && self.repo_of(&turn.path).as_ref() == Some(&key.repo)
        })
    }

    /// Ralph hears how a turn of this run ended.
    pub(crate) fn hear_program(
        &mut self,
        (key, run): (&IssueKey, u32),
        step: Step,
        outcome: &Outcome,
    ) {
        self.judge_alone(key, run, outcome);
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

    /// B2: an issue that the program fails on alone is for a person in the end.
    fn judge_alone(&mut self, key: &IssueKey, run: u32, outcome: &Outcome) {
        let book = &mut self.ledger.program;
        let is_the_one = book.fails_on.as_ref() == Some(key);
        match outcome {
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
