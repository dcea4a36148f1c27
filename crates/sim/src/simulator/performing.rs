//! Effects performed on the simulated world, and the ends of the processes they started.

use super::Simulator;
use crate::bugs::Bug;
use crate::errand::Errand;
use crate::schedule::Event;
use crate::sim_work::SimWork;
use crate::town::Town;
use crate::transport::client;
use crate::weather::Fault;
use ralph_core::effect::{Effect, IssueAct, Lane};
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::issue::Phase;
use ralph_core::job::Job;
use ralph_core::steps::Step;
use ralph_engine::ports::Ports;
use ralph_engine::{Claimed, Engine, EngineError, Performed, Question, ask, perform};

impl Simulator {
    pub(super) fn perform(&mut self, life: u32, claimed: &Claimed) -> Result<(), EngineError> {
        if life != self.town.borrow().life {
            return Ok(());
        }
        if self.strikes(Fault::CrashBefore) {
            return self.crash(Fault::CrashBefore);
        }
        let mut performed = match self.held_by_labels(claimed) {
            Some(later) => later,
            None => self.really_perform(claimed),
        };
        if let Some(bug) = self.bug {
            bug.rewrite_performed(claimed, self.now(), &mut performed);
            let is_unknown = matches!(performed, Performed::Unknown { .. });
            if bug == Bug::PerformsTwice && is_unknown {
                performed = self.really_perform(claimed);
            }
        }
        // A comment is what a careless restart would write twice, so it is worth more crashes.
        let is_comment = matches!(claimed.effect, Effect::Issue(_, IssueAct::CreateComment { .. }));
        let is_written = is_comment && matches!(performed, Performed::Happened(_));
        if is_written && self.town.borrow_mut().dies_after_comment()
            || (0..if is_comment { 20 } else { 1 }).any(|_| self.strikes(Fault::CrashAfter))
        {
            return self.crash(Fault::CrashAfter);
        }
        let town = &mut *self.town.borrow_mut();
        let delay = town.prng.between(5, 800) + town.errand.waited_millis();
        let (id, key, performed) = (claimed.id, claimed.key.clone(), Box::new(performed));
        town.schedule.after(town.now, delay, Event::Settle { life, id, key, performed });
        Ok(())
    }

    pub(super) fn really_perform(&self, claimed: &Claimed) -> Performed {
        let now = self.now();
        self.set_out(Some(claimed.key.clone()));
        let mut forge = client(&self.town, &self.clock, &self.account);
        let mut work = SimWork(self.town.clone());
        let mut workers = work.clone();
        let mut ports = Ports { forge: &mut forge, workspaces: &mut work, workers: &mut workers };
        let performed = perform(claimed, now, &mut ports);
        let town = &mut *self.town.borrow_mut();
        town.judge_outcome(claimed, &performed);
        town.judge_own_comment(&performed);
        town.note_put_off(claimed, now, &performed);
        performed
    }

    /// As if a label write that has to wait held everything else in its repository.
    fn held_by_labels(&self, claimed: &Claimed) -> Option<Performed> {
        let is_held = self.bug == Some(Bug::LabelsHoldMerges) && claimed.effect.is_step();
        let lane = Lane::Labels(claimed.effect.repo().to_string()).name();
        let until = *self.town.borrow().ledger.put_off.get(&lane).filter(|_| is_held)?;
        let why = "a label comes first".to_owned();
        (until > self.now()).then_some(Performed::Later { until: Some(until), why })
    }

    /// An errand to the forge begins.
    fn set_out(&self, effect: Option<String>) {
        let began = self.now();
        self.clock.set(began);
        self.town.borrow_mut().errand = Errand { effect, began, ..Errand::default() };
    }

    /// A read of the forge; its answer takes a while.
    pub(super) fn ask(&self, life: u32, question: &Question) {
        self.set_out(None);
        let mut reading =
            ask(question, self.now(), &mut client(&self.town, &self.clock, &self.account));
        let town = &mut *self.town.borrow_mut();
        let refused = town.errand.refused.take();
        town.judge_reading(&reading);
        town.judge_shown(&reading);
        if let Some(bug) = self.bug {
            bug.rewrite_reading(town.login, &mut reading);
        }
        let delay = town.prng.between(10, 2_000) + town.errand.waited_millis();
        let (reading, as_of) = (Box::new(reading), town.label_news(town.errand.is_stale));
        town.schedule.after(town.now, delay, Event::Deliver { life, reading, as_of, refused });
    }

    /// Writes down an implementation turn whose end is news to Ralph, or a stall of any. A run that was stopped spends
    /// nothing more.
    pub(super) fn count_turn(&self, fact: &Fact) {
        let (What::Finished { attempt, outcome }, Some(key)) = (&fact.what, fact.subject.issue())
        else {
            return;
        };
        let world = self.engine.as_ref().map(Engine::world);
        let managed = world.and_then(|world| world.issue(key)?.managed.as_deref());
        let Some((managed, run)) = managed.and_then(|m| Some((m, m.run.as_ref()?))) else { return };
        let Some(work) = managed.work.as_ref().filter(|work| work.attempt == *attempt) else {
            return;
        };
        if managed.phase != (Phase::Running { step: work.step }) {
            return;
        }
        if work.step.takes_turn() {
            let run = (key, run.id.run);
            self.town.borrow_mut().hear_program(run, work.step, outcome);
        }
        if work.step == Step::Survey {
            return self.town.borrow_mut().hear_survey(key, outcome);
        }
        let ledger = &mut self.town.borrow_mut().ledger;
        let entry = (key.clone(), run.id.run);
        if matches!(outcome, Outcome::WorkspaceLost { .. }) {
            // The agent is not to blame, and not charged.
        } else if matches!(outcome, Outcome::Stalled { .. }) {
            *ledger.stalls.entry(entry).or_insert(0) += 1;
        } else if [Step::Implement, Step::Repair].contains(&work.step)
            && !matches!(outcome, Outcome::AgentFailed { .. })
        {
            *ledger.turns.entry(entry).or_insert(0) += 1;
        }
    }

    pub(super) fn work_ends(&self, issue: IssueKey, attempt: Attempt) {
        let town = &mut *self.town.borrow_mut();
        let Some(process) = town.processes.remove(&(issue.clone(), attempt)) else { return };
        let Town { weather, prng, .. } = town;
        // Few processes are ended, so their late news is worth more draws.
        let is_late = !process.is_alive && (0..4).any(|_| weather.strikes(Fault::AgentLate, prng));
        // Git that was ended makes no worktree any more.
        let is_git = matches!(process.job, Job::Workspace { .. });
        if !process.is_alive && (!is_late || is_git) {
            return;
        }
        let attempt = match (self.bug, self.attempt_now(&issue)) {
            (Some(Bug::OldAttemptCounts), Some(newer)) if is_late => newer,
            _other => attempt,
        };
        let (outcome, texts) = town.ending_of(&issue, &process.job);
        if let (true, Outcome::Turn { answer: Answer::Changed(head), .. }) = (is_late, &outcome) {
            town.ledger.produced.remove(head.commit.as_str());
        }
        town.say(&format!("attempt {attempt} of {issue} ends"));
        let fact = Box::new(Fact::of(issue, What::Finished { attempt, outcome }));
        let life = town.life;
        let mut delay = town.prng.between(10, 3_000);
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::FinishDoubled, prng) {
            let again = delay + prng.between(1, 200_000);
            let (fact, texts) = (fact.clone(), texts.clone());
            town.schedule.after(town.now, again, Event::WorkNews { life, fact, texts });
        }
        if is_late {
            delay += 5_000;
        }
        town.schedule.after(town.now, delay, Event::WorkNews { life, fact, texts });
    }

    /// The attempt that is under way, as Ralph sees it.
    pub(super) fn attempt_now(&self, issue: &IssueKey) -> Option<Attempt> {
        let managed = self.engine.as_ref()?.world().issue(issue)?.managed.as_deref()?;
        managed.work.as_ref().map(|work| work.attempt)
    }
}

/// What became of an effect, in a word or two.
pub(super) fn word(performed: &Performed) -> String {
    match performed {
        Performed::Happened(_) => "happened".to_owned(),
        Performed::Refused(why) => format!("refused ({why})"),
        Performed::Absent => "never happened".to_owned(),
        Performed::Later { why, .. } => format!("later ({why})"),
        Performed::Unknown { why } => format!("unknown ({why})"),
    }
}
