//! Removes what the store no longer needs. Nothing in force depends on it.

use crate::engine::{Engine, EngineError};
use ralph_core::time::Time;

impl Engine {
    /// Deletes facts from before `oldest`, which only shortens the story. Returns their number.
    pub fn forget_facts(&mut self, oldest: Time) -> Result<usize, EngineError> {
        let store = self.store.as_mut().ok_or(EngineError::Broken)?;
        Ok(store.prune_journal(oldest)?)
    }

    /// Deletes texts that no row, effect or kept fact refers to. Returns their number.
    pub fn forget_texts(&mut self) -> Result<usize, EngineError> {
        let store = self.store.as_mut().ok_or(EngineError::Broken)?;
        Ok(store.forget_texts()?)
    }
}
