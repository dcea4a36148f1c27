//! The effect of each event on Ralph and on the world around it.

use super::{Simulator, performing};
use crate::faults::Fault;
use crate::oracle::steering::news;
use crate::people::operator::Operation;
use crate::schedule::Event;
use crate::world::PLENTY;
use ralph_core::fact::Subject;
use ralph_core::ids::IssueKey;
use ralph_engine::{EngineError, Performed};

impl Simulator {
    pub(super) fn happen(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Ask { process, question } => {
                if process == self.world.borrow().machine.process {
                    self.ask(process, &question);
                }
                Ok(())
            }
            Event::Deliver { reading, as_of, refused, .. } => {
                self.world.borrow_mut().oracle.note_shown(&reading, as_of);
                let resource = reading.resource.clone();
                self.step(None, |engine, now| engine.take_reading(now, *reading))?;
                if let (Some(engine), Some(path)) = (&self.engine, refused) {
                    self.world.borrow_mut().oracle.judge_visible(engine, &resource, &path);
                }
                Ok(())
            }
            Event::Perform { process, leased } => self.perform(process, &leased),
            Event::Settle { id, key, performed, .. } => {
                let line = format!("settled {key}: {}", performing::word(&performed));
                self.world.borrow_mut().trace.say(&line);
                let is_over = matches!(*performed, Performed::Happened(_) | Performed::Refused(_));
                if is_over {
                    self.world.borrow_mut().oracle.record.changes.remove(&key);
                }
                let subject = key.split_once(':').and_then(|(name, _)| IssueKey::parse(name));
                let subject = subject.map(Subject::Issue);
                let is_put_off = matches!(*performed, Performed::Later { .. });
                self.step(subject.as_ref(), |engine, now| engine.settle(now, id, *performed))?;
                if let Some(engine) = self.engine.as_ref().filter(|_| is_put_off) {
                    self.world.borrow_mut().oracle.judge_held(engine);
                }
                self.maybe_crash(Fault::CrashSettled)
            }
            Event::WorkEnds { issue, attempt } => {
                self.work_ends(issue, attempt);
                Ok(())
            }
            Event::WorkNews { fact, texts, heard, .. } => {
                self.count_turn(&fact);
                let subject = fact.subject.clone();
                let facts = news(*fact, heard);
                self.step(Some(&subject), |engine, now| {
                    engine.observe_with_texts(now, facts, texts)
                })
            }
            other => self.happen_outside(other),
        }
    }

    /// Plays an event that happens to the world around Ralph, or to Ralph itself.
    fn happen_outside(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Hook { hints } => {
                let now = self.now();
                if let Some(engine) = self.engine.as_mut() {
                    hints.iter().for_each(|hint| engine.hint(now, hint));
                }
                Ok(())
            }
            Event::Check { repo, sha, name } => {
                self.world.borrow_mut().report_check(&repo, &sha, &name);
                Ok(())
            }
            Event::ChecksRun => {
                self.world.borrow_mut().run_held_checks();
                Ok(())
            }
            Event::Background => {
                let world = &mut *self.world.borrow_mut();
                // A change of the forge makes every answer be rendered again, so it needs a reason.
                if world.forge.model().has_background_work() {
                    let now = world.clock.seconds();
                    let events = world.forge.model_mut().run_background(now);
                    world.spread(&events);
                }
                Ok(())
            }
            Event::Person => {
                self.people();
                Ok(())
            }
            Event::Visit(fault) => {
                self.world.borrow_mut().visit(fault);
                Ok(())
            }
            Event::TakesBack { issue, command } => {
                self.world.borrow_mut().take_back(&issue, command);
                Ok(())
            }
            Event::Rewords { issue, comment } => {
                self.world.borrow_mut().reword(&issue, comment);
                Ok(())
            }
            Event::Types { issue, command, manner } => self.type_command(issue, (command, manner)),
            Event::Tells { issue, text } => self.tell(&issue, text),
            Event::Operator(operation) => self.operate(operation),
            Event::Crash => self.crash(Fault::CrashBefore),
            Event::ZombieWakes => self.zombie(),
            Event::SecondRalph => self.intrude(),
            Event::ClockJumps => {
                self.world.borrow_mut().jump_the_clock();
                Ok(())
            }
            Event::Ask { .. }
            | Event::Deliver { .. }
            | Event::Perform { .. }
            | Event::Settle { .. }
            | Event::WorkEnds { .. }
            | Event::WorkNews { .. } => Ok(()),
            Event::FaultsEnd => {
                {
                    let world = &mut *self.world.borrow_mut();
                    world.faults.is_calm = true;
                    world.end_refusals();
                    world.forge.offer_requests(PLENTY);
                    world.trace.say("the faults end");
                }
                self.operate(Operation::Settle)
            }
        }
    }
}
