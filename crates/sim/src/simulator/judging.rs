//! One step of the engine, and what has to hold after it.

use super::{EXPENSIVE_CHECK_EVERY, Simulator};
use ralph_core::fact::Subject;
use ralph_core::time::Time;
use ralph_engine::{Engine, EngineError};

impl Simulator {
    /// Lets the engine take a step and judges it.
    pub(super) fn step(
        &mut self,
        of: Option<&Subject>,
        step: impl FnOnce(&mut Engine, Time) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let now = self.now();
        let Some(engine) = self.engine.as_mut() else { return Ok(()) };
        step(engine, now)?;
        self.steps += 1;
        let is_time = self.steps.is_multiple_of(EXPENSIVE_CHECK_EVERY);
        if let Some(bug) = self.bug.filter(|_| is_time)
            && let Some(mut store) = engine.lend_store()
        {
            bug.tamper(&mut store)?;
            engine.return_store(store);
        }
        self.judge(of);
        Ok(())
    }

    fn judge(&self, of: Option<&Subject>) {
        let Some(engine) = &self.engine else { return };
        let world = &mut *self.world.borrow_mut();
        if let Some(fault) = engine.faults().first() {
            world.oracle.broken("E1", fault.to_string());
        }
        if engine.restless_turns() > 0 {
            world.oracle.broken("E2", "two rules undo each other".to_owned());
        }
        world.oracle.judge_world(&world.machine, engine.world(), &self.policy);
        world.oracle.judge_floods(engine);
        world.oracle.judge_blames(engine.world());
        world.oracle.judge_stops(&mut world.forge, engine.world());
        let one = of.and_then(Subject::issue).cloned();
        if let Some(key) = one
            && let Some(managed) = engine.world().issue(&key).and_then(|i| i.managed.as_deref())
        {
            world.oracle.judge_counters(&key, managed, engine);
            world.oracle.judge_lanes(&key, managed, engine);
            world.oracle.judge_head(&key, managed);
            world.oracle.judge_labels(&mut world.forge, engine, [&key]);
        }
    }
}
