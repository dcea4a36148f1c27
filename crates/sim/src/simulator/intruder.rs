//! A second Ralph, started by mistake on another machine with another store: it must start and write nothing for as
//! long as the first one's mark is there.

use super::Simulator;
use crate::bugs::Bug;
use crate::faults::Fault;
use crate::forge::transport::{account, client};
use crate::machine::sim_work::SimWork;
use crate::machine::task::Task;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{RepoSettled, Settled, What};
use ralph_core::policy::Policy;
use ralph_core::time::{Span, Time};
use ralph_engine::ports::Ports;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, EngineError, Leased, Performed, ask, perform};
use ralph_github::Account;
use std::sync::Arc;

/// Its own clock of patience: it goes away again.
const STAYS: Span = Span::from_mins(20);

pub(super) struct Intruder {
    engine: Engine,
    account: Arc<Account>,
    leaves: Time,
}

impl Simulator {
    /// The second one comes, unless the first one's marks are not there yet.
    pub(super) fn intrude(&mut self) -> Result<(), EngineError> {
        let is_marked = {
            let world = self.world.borrow();
            let has_mark = |repo: &ralph_core::ids::RepoName| world.forge.mark_of(repo).is_some();
            world.forge.repos.iter().all(has_mark)
        };
        if !is_marked || self.intruder.is_some() {
            return Ok(());
        }
        let now = self.now();
        {
            let world = &mut *self.world.borrow_mut();
            world.faults.count(Fault::SecondRalph);
            world.trace.say("a second Ralph is started elsewhere");
        }
        let store = Store::in_memory().map_err(EngineError::Open)?;
        let policy = self.intruders_policy();
        let gone = Takeover::HolderIsGone;
        let engine = Engine::open(store, "the second one", now, policy, gone)?;
        let account = account(&self.clock, self.seed ^ 0x2);
        self.intruder = Some(Intruder { engine, account, leaves: now.plus(STAYS) });
        Ok(())
    }

    fn intruders_policy(&self) -> Policy {
        let mut policy = self.policy.clone();
        if let Some(instance) = &mut policy.instance {
            instance.store = "the-second-one".to_owned();
            instance.start = "its-only-start".to_owned();
            instance.was_away = false;
        }
        if self.bug == Some(Bug::HeedsNoMark) {
            policy.instance = None;
        }
        policy
    }

    /// Lets the second one read and do what it wants, and looks what that is.
    pub(super) fn watch_intruder(&mut self) -> Result<(), EngineError> {
        let now = self.now();
        let Some(mut intruder) = self.intruder.take() else { return Ok(()) };
        if now >= intruder.leaves || self.world.borrow().faults.is_calm {
            self.world.borrow_mut().trace.say("the second Ralph goes away");
            return Ok(());
        }
        intruder.engine.tick(now)?;
        while let Some(question) = intruder.engine.next_question(now)? {
            self.set_out_for(None, now);
            let mut forge = client(&self.world, &self.clock, &intruder.account);
            let reading = ask(&question, now, &mut forge);
            intruder.engine.take_reading(now, reading)?;
        }
        while let Some(leased) = intruder.engine.lease(now)? {
            if !matches!(leased.effect, Effect::Repo(_, RepoAct::WriteMark { .. })) {
                let line = format!("a second Ralph wants {}", leased.key);
                self.world.borrow_mut().oracle.broken("M1", line);
                return Ok(());
            }
            let performed = self.perform_for(&leased, &intruder.account, now);
            self.judge_intruder(&performed);
            intruder.engine.settle(now, leased.id, performed)?;
        }
        self.intruder = Some(intruder);
        Ok(())
    }

    pub(super) fn intruders_next_time(&self) -> Option<Time> {
        self.intruder.as_ref().and_then(|intruder| intruder.engine.next_time())
    }

    fn set_out_for(&self, effect: Option<String>, began: Time) {
        self.clock.set(began);
        self.world.borrow_mut().machine.task = Task { effect, began, ..Task::default() };
    }

    fn perform_for(&self, leased: &Leased, account: &Arc<Account>, now: Time) -> Performed {
        self.set_out_for(Some(leased.key.clone()), now);
        let mut forge = client(&self.world, &self.clock, account);
        let mut work = SimWork(self.world.clone());
        let mut workers = work.clone();
        let mut ports = Ports { forge: &mut forge, workspaces: &mut work, workers: &mut workers };
        perform(leased, now, &mut ports)
    }

    /// A read that lags may show no mark; then it tries, and must fail.
    fn judge_intruder(&self, performed: &Performed) {
        let Performed::Happened(facts) = performed else { return };
        let is_written =
            |what: &What| matches!(what, What::Settled(Settled::Repo(RepoSettled::MarkWritten(_))));
        if facts.iter().any(|fact| is_written(&fact.what)) {
            let line = "a second Ralph has put its mark over the first one's".to_owned();
            self.world.borrow_mut().oracle.broken("M1", line);
        }
    }
}
