//! Commands given on this machine: taken into the world, left to wait, or refused unheard.

use crate::engine::{Engine, EngineError};
use crate::ports::LocalCommand;
use crate::turn::Input;
use ralph_core::command::Command;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand};
use ralph_core::time::Time;

impl Engine {
    /// Takes commands that were given on this machine.
    pub fn take_inbox(&mut self, now: Time) -> Result<(), EngineError> {
        let store = self.store.as_ref().ok_or(EngineError::Broken)?;
        let mut posted = store.inbox()?;
        // What is given for a repository that is left out for now waits for it.
        posted.retain(|posted| !self.policy.left_out.contains(&posted.command.issue.repo));
        if posted.is_empty() {
            return Ok(());
        }
        let inbox = posted.iter().map(|posted| posted.id).collect();
        let (posted, refused): (Vec<_>, Vec<_>) =
            posted.into_iter().partition(|posted| self.may_command(&posted.command));
        let facts = posted.into_iter().map(|posted| {
            let id = CommandId { at: posted.at, id: posted.id, is_local: true };
            let command = PendingCommand {
                command: posted.command.command,
                actor: Some(posted.command.actor),
                is_allowed: true,
                via: CommandVia::CommandLine,
                manner: posted.command.manner,
            };
            Fact::of(posted.command.issue, What::Seen(Observation::Command { id, command }))
        });
        let facts = facts.collect();
        self.turn(now, Input { facts, inbox, refused, ..Input::default() })
    }

    /// Of a repository that is not configured nothing is kept but that an issue others wait for is satisfied.
    fn may_command(&self, given: &LocalCommand) -> bool {
        let is_known = self.world.issue(&given.issue).is_some();
        self.policy.repo(&given.issue.repo).is_some()
            || (given.command == Command::Satisfy && is_known)
    }
}
