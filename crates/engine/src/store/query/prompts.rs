//! The prompt of an issue's next turn in a role, as far as the store knows it.

use super::Reader;
use crate::engine::EngineError;
use crate::store::rows::{text_of, world_of};
use crate::texts::prompt_of;
use ralph_core::decide::preview_turn;
use ralph_core::ids::IssueKey;
use ralph_core::policy::Policy;
use ralph_core::role::Role;
use ralph_core::time::Time;
use ralph_core::words::Prompt;

impl Reader {
    /// The prompt that a turn of this role would get now. `None` if the issue is not managed or its repository not
    /// configured. What is read from git when a turn starts is not in it.
    pub fn prompt(
        &self,
        key: &IssueKey,
        role: Role,
        now: Time,
        policy: &Policy,
    ) -> Result<Option<Prompt>, EngineError> {
        let world = world_of(&self.connection)?;
        let Some(turn) = preview_turn(&world, key, role, now, policy) else { return Ok(None) };
        let text = |digest| text_of(&self.connection, digest);
        prompt_of(&text, (&world, policy), key, &turn).map(Some)
    }
}
