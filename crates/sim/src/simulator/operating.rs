//! What comes to Ralph on its own machine: another policy, and commands from the command line.

use super::Simulator;
use crate::ledger::Order;
use crate::operator::Operation;
use crate::town::OWNER;
use crate::weather::Fault;
use ralph_core::command::{Command, Manner};
use ralph_core::fact::Subject;
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::CommandVia;
use ralph_engine::ports::LocalCommand;
use ralph_engine::{Engine, EngineError};

impl Simulator {
    pub(super) fn operate(&mut self, operation: Operation) -> Result<(), EngineError> {
        let before = self.policy.clone();
        let busy = self.engine.as_ref().map(Engine::world).map_or(0, |world| world.busy());
        {
            let town = &mut *self.town.borrow_mut();
            town.operate(operation, &mut self.policy);
            if let Some(engine) = &self.engine {
                town.tolerate(engine.world());
            }
            town.busy = busy;
        }
        if self.policy == before {
            return Ok(());
        }
        let policy = self.policy.clone();
        self.step(None, |engine, now| engine.set_policy(now, policy))
    }

    /// A command is posted while Ralph runs, and taken in.
    pub(super) fn type_command(
        &mut self,
        issue: IssueKey,
        (command, manner): (Command, Manner),
    ) -> Result<(), EngineError> {
        let now = self.now();
        let Some(engine) = self.engine.as_mut() else { return Ok(()) };
        let Some(mut store) = engine.lend_store() else { return Ok(()) };
        let local =
            LocalCommand { issue: issue.clone(), command, manner, actor: Login::new(OWNER) };
        let posted = store.post(now, &local);
        engine.return_store(store);
        posted?;
        {
            let town = &mut *self.town.borrow_mut();
            let is_astray = town.ledger.astray.contains(&issue);
            let fault = if is_astray { Fault::PersonTypesAstray } else { Fault::PersonTypes };
            town.weather.count(fault);
            town.say(&format!("owner types {} {issue}", manner.of(command)));
            let order = Order { command, via: CommandVia::CommandLine, answer: None };
            if !is_astray {
                town.ledger.typed.insert((issue.clone(), now), order);
            }
            if command == Command::Stop {
                town.ledger.given_up.insert(issue.clone());
            }
        }
        self.step(Some(&Subject::Issue(issue)), Engine::take_inbox)
    }
}
