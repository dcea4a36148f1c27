//! Mishaps of Ralph itself: it dies, or freezes until another one has taken over.

use super::Simulator;
use crate::bugs::Bug;
use crate::faults::Fault;
use crate::schedule::Event;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::time::Span;
use ralph_engine::EngineError;
use ralph_engine::store::StoreError;

impl Simulator {
    /// Crashes are drawn a hundred times more seldom than other faults: each costs a whole restart.
    pub(super) fn strikes(&self, fault: Fault) -> bool {
        let world = &mut *self.world.borrow_mut();
        let rate = world.faults.rate(fault);
        world.prng.below(100_000) < rate * 8
    }

    pub(super) fn maybe_crash(&mut self, fault: Fault) -> Result<(), EngineError> {
        if self.strikes(fault) { self.crash(fault) } else { Ok(()) }
    }

    /// Ralph dies. Its processes die with it; requests under way may still arrive; the rows stay.
    pub(super) fn crash(&mut self, fault: Fault) -> Result<(), EngineError> {
        let Some(engine) = self.engine.take() else { return Ok(()) };
        self.crashes += 1;
        let under_way = {
            let world = &mut *self.world.borrow_mut();
            world.faults.count(fault);
            world.trace.say(&format!("Ralph dies ({})", fault.name()));
            world.oracle.judge_consistency_at_death(&mut world.forge, &engine, &self.rules);
            world.leave_workspaces();
            for process in world.machine.processes.values_mut() {
                process.is_alive = false;
            }
            let dead = world.machine.process;
            world.schedule.drain_process(dead)
        };
        for event in under_way {
            if let Event::Perform { leased, .. } = event
                && self.world.borrow_mut().prng.chance(500)
                && !matches!(leased.effect, Effect::Machine(_, MachineAct::Start { .. }))
            {
                self.really_perform(&leased);
            }
        }
        let downtime =
            Span(i64::try_from(self.world.borrow_mut().prng.between(100, 120_000)).unwrap_or(0));
        self.sleep(downtime)?;
        let Some(mut store) = engine.into_store() else { return Ok(()) };
        if let Some(bug) = self.bug {
            bug.tamper_at_restart(&mut store)?;
        }
        self.open(store)
    }

    /// Time passes while Ralph is down; the rest of the world goes on.
    pub(super) fn sleep(&mut self, span: Span) -> Result<(), EngineError> {
        let until = self.world.borrow().clock.now().plus(span);
        loop {
            let next = self.world.borrow().schedule.next_time().filter(|at| *at <= until);
            let Some(next) = next else { break };
            self.world.borrow().clock.pass(next);
            while let Some(event) = self.pop() {
                match event {
                    Event::Crash | Event::ZombieWakes => {}
                    other => self.happen(other)?,
                }
            }
        }
        let world = &mut *self.world.borrow_mut();
        world.clock.pass(until);
        Ok(())
    }

    /// Ralph freezes; another one takes over after the lease ran out; then the first one wakes up.
    pub(super) fn zombie(&mut self) -> Result<(), EngineError> {
        let Some(mut old) = self.engine.take() else { return Ok(()) };
        let Some(store) = old.lend_store() else { return Ok(()) };
        self.crashes += 1;
        {
            let world = &mut *self.world.borrow_mut();
            world.faults.count(Fault::Zombie);
            world.trace.say("Ralph freezes");
            for process in world.machine.processes.values_mut() {
                process.is_alive = false;
            }
            let dead = world.machine.process;
            world.schedule.drain_process(dead);
        }
        self.sleep(Span::from_secs(61))?;
        self.open(store)?;
        let now = self.now();
        let Some(engine) = self.engine.as_mut() else { return Ok(()) };
        let Some(store) = engine.lend_store() else { return Ok(()) };
        old.return_store(store);
        if self.bug == Some(Bug::StaleOwnerWrites) {
            old.tamper_with_leases()?;
        }
        let refused = old.observe(now.plus(Span(1)), Vec::new());
        if !matches!(refused, Err(EngineError::Store(StoreError::Fenced { .. }))) {
            self.world
                .borrow_mut()
                .oracle
                .broken("I8", "a stale owner could still write".to_owned());
        }
        if let (Some(engine), Some(store)) = (self.engine.as_mut(), old.lend_store()) {
            engine.return_store(store);
        }
        Ok(())
    }
}
