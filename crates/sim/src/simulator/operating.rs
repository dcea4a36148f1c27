//! Events on Ralph's own machine: another policy, and commands from the command line.

use super::Simulator;
use crate::faults::Fault;
use crate::oracle::record::Order as Given;
use crate::people::operator::Operation;
use crate::world::OWNER;
use ralph_core::command::{Command, Manner};
use ralph_core::fact::Subject;
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::CommandVia;
use ralph_engine::local_command::{LocalCommand, Order};
use ralph_engine::store::PostError;
use ralph_engine::{Engine, EngineError};

impl Simulator {
    pub(super) fn operate(&mut self, operation: Operation) -> Result<(), EngineError> {
        let before = self.policy.clone();
        let busy = self.engine.as_ref().map(Engine::world).map_or(0, |world| world.busy());
        {
            let world = &mut *self.world.borrow_mut();
            world.operate(operation, &mut self.policy);
            if let Some(engine) = &self.engine {
                world.oracle.tolerate(engine.world());
            }
            world.oracle.record.busy = busy;
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
        let local = LocalCommand::on_issue(issue.clone(), (command, manner), Login::new(OWNER));
        if !self.post(&local)? {
            return Ok(());
        }
        {
            let world = &mut *self.world.borrow_mut();
            let is_astray = world.oracle.record.astray.contains(&issue);
            let fault = if is_astray { Fault::PersonTypesAstray } else { Fault::PersonTypes };
            world.faults.count(fault);
            world.trace.say(&format!("owner types {} {issue}", manner.of(command)));
            let order = Given { command, via: CommandVia::CommandLine, answer: None };
            if !is_astray {
                world.oracle.record.typed.insert((issue.clone(), now), order);
            }
            if command == Command::Stop {
                world.oracle.record.given_up.insert(issue.clone());
            }
        }
        self.step(Some(&Subject::Issue(issue)), Engine::take_inbox)
    }

    /// Posts a command through the store of the Ralph that runs. False if there is none.
    fn post(&mut self, local: &LocalCommand) -> Result<bool, EngineError> {
        let now = self.now();
        let Some(engine) = self.engine.as_mut() else { return Ok(false) };
        let Some(mut store) = engine.lend_store() else { return Ok(false) };
        let posted = store.post(now, local);
        engine.return_store(store);
        posted.map(|_| true).map_err(|error| match error {
            PostError::Store(error) => EngineError::from(error),
            // The store is open, and the command has no key.
            PostError::Open(_) | PostError::KeyTaken { .. } => EngineError::Broken,
        })
    }

    /// A message is posted while Ralph runs, and taken in.
    pub(super) fn tell(&mut self, issue: &IssueKey, text: String) -> Result<(), EngineError> {
        let order = Order::Tell { issue: issue.clone(), text: text.clone() };
        let local = LocalCommand { actor: Login::new(OWNER), key: None, order };
        if !self.post(&local)? {
            return Ok(());
        }
        {
            let world = &mut *self.world.borrow_mut();
            world.faults.count(Fault::PersonTells);
            *world.oracle.record.messages.entry(issue.clone()).or_insert(0) += 1;
            world.trace.say(&format!("owner tells {issue}: {text}"));
        }
        self.step(Some(&Subject::Issue(issue.clone())), Engine::take_inbox)?;
        let known = self.engine.as_ref().and_then(|engine| engine.world().issue(issue));
        let managed = known.and_then(|issue| issue.managed.as_deref());
        self.world.borrow_mut().oracle.note_told(issue, text, managed);
        Ok(())
    }
}
