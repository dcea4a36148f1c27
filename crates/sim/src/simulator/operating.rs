//! Another policy for a Ralph that runs, or for the next one to start.

use super::Simulator;
use crate::operator::Operation;
use ralph_engine::{Engine, EngineError};

impl Simulator {
    pub(super) fn operate(&mut self, operation: Operation) -> Result<(), EngineError> {
        let before = self.policy.clone();
        let busy = self.engine.as_ref().map(Engine::world).map_or(0, |world| world.busy());
        {
            let town = &mut *self.town.borrow_mut();
            town.operate(operation, &mut self.policy);
            // What runs already is not ended because there are fewer slots now.
            town.tolerated = town.tolerated.max(busy);
        }
        if self.policy == before {
            return Ok(());
        }
        let policy = self.policy.clone();
        self.step(None, |engine, now| engine.set_policy(now, policy))
    }
}
