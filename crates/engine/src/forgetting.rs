//! What the store may forget: it gets smaller, and nothing that is in force depends on it.

use crate::engine::{Engine, EngineError};
use ralph_core::time::Time;

impl Engine {
    /// Forgets facts from before `oldest`: the story gets shorter, and nothing else. Gives how many.
    pub fn forget_facts(&mut self, oldest: Time) -> Result<usize, EngineError> {
        let store = self.store.as_mut().ok_or(EngineError::Broken)?;
        Ok(store.prune_journal(oldest)?)
    }

    /// Forgets texts that no row, no effect and no kept fact names. Gives how many.
    pub fn forget_texts(&mut self) -> Result<usize, EngineError> {
        let store = self.store.as_mut().ok_or(EngineError::Broken)?;
        Ok(store.forget_texts()?)
    }
}
