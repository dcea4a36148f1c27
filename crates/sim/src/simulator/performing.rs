//! Effects performed on the simulated world, and the ends of the processes they started.

use super::Simulator;
use crate::bugs::Bug;
use crate::faults::Fault;
use crate::forge::transport::client;
use crate::machine::sim_work::SimWork;
use crate::machine::task::Task;
use crate::schedule::Event;
use crate::world::SimWorld;
use ralph_core::effect::{Effect, IssueAct, MachineAct, OrderingKey};
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::issue::Phase;
use ralph_core::job::Job;
use ralph_core::steps::Step;
use ralph_engine::ports::{Ports, Refusal, RefusalKind};
use ralph_engine::{Engine, EngineError, Leased, Performed, Question, ask, perform};

impl Simulator {
    pub(super) fn perform(&mut self, process: u32, leased: &Leased) -> Result<(), EngineError> {
        if process != self.world.borrow().machine.process {
            return Ok(());
        }
        if self.strikes(Fault::CrashBefore) {
            return self.crash(Fault::CrashBefore);
        }
        self.judge_limited(leased);
        let mut performed = match self.held_by_labels(leased) {
            Some(later) => later,
            None => self.really_perform(leased),
        };
        if let Some(bug) = self.bug {
            bug.rewrite_performed(leased, self.now(), &mut performed);
            let is_unknown = matches!(performed, Performed::Unknown { .. });
            if bug == Bug::PerformsTwice && is_unknown {
                performed = self.really_perform(leased);
            }
        }
        // A comment is what a careless restart would write twice, so it is worth more crashes.
        let is_comment = matches!(leased.effect, Effect::Issue(_, IssueAct::CreateComment { .. }));
        let is_written = is_comment && matches!(performed, Performed::Happened(_));
        if is_written && self.world.borrow_mut().faults.dies_after_comment()
            || (0..if is_comment { 20 } else { 1 }).any(|_| self.strikes(Fault::CrashAfter))
        {
            return self.crash(Fault::CrashAfter);
        }
        let world = &mut *self.world.borrow_mut();
        let delay = world.prng.between(5, 800) + world.machine.task.waited_millis();
        let (id, key, performed) = (leased.id, leased.key.clone(), Box::new(performed));
        world.schedule.after(
            world.clock.now(),
            delay,
            Event::Settle { process, id, key, performed },
        );
        Ok(())
    }

    /// Judges the start of a turn by the time at which it was decided.
    fn judge_limited(&self, leased: &Leased) {
        let Effect::Machine(key, MachineAct::Start { job, .. }) = &leased.effect else { return };
        let world = self.engine.as_ref().map(Engine::world);
        let managed = world.and_then(|world| world.issue(key)?.managed.as_deref());
        let work = managed.and_then(|managed| managed.work.as_ref());
        if let (Job::Turn(_), Some(work)) = (job, work) {
            let account = work.account.clone().unwrap_or_default();
            self.world.borrow_mut().oracle.judge_limited_start(key, &account, work.started);
        }
    }

    pub(super) fn really_perform(&self, leased: &Leased) -> Performed {
        let now = self.now();
        self.set_out(Some(leased.key.clone()));
        let mut forge = client(&self.world, &self.clock, &self.account);
        let mut work = SimWork(self.world.clone());
        let mut workers = work.clone();
        let mut ports = Ports { forge: &mut forge, workspaces: &mut work, workers: &mut workers };
        let performed = perform(leased, now, &mut ports);
        let world = &mut *self.world.borrow_mut();
        world.oracle.judge_outcome(&world.machine, leased, &performed);
        world.oracle.judge_own_comment(&mut world.forge, &performed);
        world.oracle.note_put_off(leased, now, &performed);
        performed
    }

    /// As if a label write that has to wait held everything else in its repository.
    fn held_by_labels(&self, leased: &Leased) -> Option<Performed> {
        let is_held = self.bug == Some(Bug::LabelsHoldMerges) && leased.effect.is_step();
        let lane = OrderingKey::Labels(leased.effect.repo().to_string()).name();
        let until = *self.world.borrow().oracle.record.put_off.get(&lane).filter(|_| is_held)?;
        let why = "a label comes first".to_owned();
        (until > self.now()).then_some(Performed::Later { until: Some(until), why })
    }

    /// A task at the forge begins.
    fn set_out(&self, effect: Option<String>) {
        let began = self.now();
        self.clock.set(began);
        self.world.borrow_mut().machine.task = Task { effect, began, ..Task::default() };
    }

    /// A read of the forge; its answer takes a while.
    pub(super) fn ask(&self, process: u32, question: &Question) {
        self.set_out(None);
        let now = self.now();
        let mut reading = ask(question, now, &mut client(&self.world, &self.clock, &self.account));
        let world = &mut *self.world.borrow_mut();
        let refused = world.machine.task.refused.take();
        world.oracle.judge_reading(&reading);
        world.oracle.judge_shown(&mut world.forge, &world.machine, &reading);
        if let Some(bug) = self.bug {
            bug.rewrite_reading(world.forge.login, &mut reading);
            bug.find_lost(|key| world.forge.is_lost(key), now, &mut reading);
        }
        let delay = world.prng.between(10, 2_000) + world.machine.task.waited_millis();
        let (reading, as_of) =
            (Box::new(reading), world.oracle.label_news(world.machine.task.is_stale));
        world.schedule.after(
            world.clock.now(),
            delay,
            Event::Deliver { process, reading, as_of, refused },
        );
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
        if matches!(outcome, Outcome::Turn { .. }) {
            self.world.borrow_mut().oracle.judge_accepted(key, *attempt);
        }
        if work.step.takes_turn() {
            let run = (key, run.id.run);
            let turn = (work.step, &work.account.clone().unwrap_or_default());
            self.world.borrow_mut().oracle.hear_program(run, turn, outcome);
        }
        if work.step == Step::Survey {
            return self.world.borrow_mut().oracle.hear_survey(key, outcome);
        }
        let record = &mut self.world.borrow_mut().oracle.record;
        let entry = (key.clone(), run.id.run);
        if matches!(outcome, Outcome::WorkspaceLost { .. }) {
            // The agent is not to blame, and not charged.
        } else if matches!(outcome, Outcome::Stalled { .. }) {
            *record.stalls.entry(entry).or_insert(0) += 1;
        } else if [Step::Implement, Step::Repair].contains(&work.step)
            && !matches!(outcome, Outcome::AgentFailed { .. })
        {
            *record.turns.entry(entry).or_insert(0) += 1;
        }
    }

    pub(super) fn work_ends(&self, issue: IssueKey, attempt: Attempt) {
        let world = &mut *self.world.borrow_mut();
        let Some(process) = world.machine.processes.remove(&(issue.clone(), attempt)) else {
            return;
        };
        let SimWorld { faults, prng, .. } = world;
        // Few processes are ended, so their late news is worth more draws.
        let is_late = !process.is_alive && (0..4).any(|_| faults.strikes(Fault::AgentLate, prng));
        // Git that was ended makes no worktree.
        let is_git = matches!(process.job, Job::Workspace { .. });
        if !process.is_alive && (!is_late || is_git) {
            return;
        }
        let attempt = match (self.bug, self.attempt_now(&issue)) {
            (Some(Bug::OldAttemptCounts), Some(newer)) if is_late => newer,
            _other => attempt,
        };
        let (outcome, texts) = world.ending_of(&issue, &process.job);
        let heard = process.heard;
        if let (true, Outcome::Turn { answer: Answer::Changed(head), .. }) = (is_late, &outcome) {
            world.oracle.record.produced.remove(head.commit.as_str());
        }
        world.trace.say(&format!("attempt {attempt} of {issue} ends"));
        let fact = Box::new(Fact::of(issue, What::Finished { attempt, outcome }));
        let process = world.machine.process;
        let mut delay = world.prng.between(10, 3_000);
        let SimWorld { faults, prng, .. } = world;
        if faults.strikes(Fault::FinishDoubled, prng) {
            let again = delay + prng.between(1, 200_000);
            let (fact, texts, heard) = (fact.clone(), texts.clone(), heard.clone());
            world.schedule.after(
                world.clock.now(),
                again,
                Event::WorkNews { process, fact, texts, heard },
            );
        }
        if is_late {
            delay += 5_000;
        }
        let news = Event::WorkNews { process, fact, texts, heard };
        world.schedule.after(world.clock.now(), delay, news);
    }

    /// The attempt that is under way, as Ralph sees it.
    pub(super) fn attempt_now(&self, issue: &IssueKey) -> Option<Attempt> {
        let managed = self.engine.as_ref()?.world().issue(issue)?.managed.as_deref()?;
        managed.work.as_ref().map(|work| work.attempt)
    }
}

/// The result of an effect in a word or two.
pub(super) fn word(performed: &Performed) -> String {
    match performed {
        Performed::Happened(_) => "happened".to_owned(),
        Performed::Refused(Refusal { kind: RefusalKind::NeverHappened, .. }) => {
            "never happened".to_owned()
        }
        Performed::Refused(Refusal { message, .. }) => format!("refused ({message})"),
        Performed::Later { why, .. } => format!("later ({why})"),
        Performed::Unknown { why } => format!("unknown ({why})"),
    }
}
