//! The loop of a run: time moves to the next event, Ralph's engine is asked and answered, and after every step the
//! promises are checked.

mod events;
mod intruder;
mod judging;
mod mishaps;
mod operating;
mod performing;

use crate::bugs::Bug;
use crate::faults::FaultPlan;
use crate::forge::transport::{RalphClock, account};
use crate::run::{Options, SimRun};
use crate::schedule::Event;
use crate::world::{BEGINNING, SimWorld};
use ralph_core::policy::Policy;
use ralph_core::time::{Span, Time};
use ralph_core::words::journal_line;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, EngineError, Rules};
use ralph_github::Account;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A run that has not come to rest by then never will.
const DAYS_MAX: i64 = 60;
/// Steps after which a run counts as endless.
const STEPS_MAX: u64 = 10_000;
/// Expensive checks run after so many steps.
const EXPENSIVE_CHECK_EVERY: u64 = 128;
/// The time for which Ralph remembers facts in runs that forget.
const SHORT_MEMORY: Span = Span::from_mins(10);
/// So many runs in a thousand see a second Ralph started by mistake.
const INTRUDED_PER_MILLE: u64 = 300;
/// The usual time between two visits of people.
const VISIT_MILLIS: u64 = 240_000;

pub(crate) struct Simulator {
    world: Rc<RefCell<SimWorld>>,
    engine: Option<Engine>,
    policy: Policy,
    rules: Rules,
    bug: Option<Bug>,
    seed: u64,
    clock: RalphClock,
    /// The memory of the client in the live process.
    account: Arc<Account>,
    steps: u64,
    crashes: u64,
    /// The last entry of the journal that was printed.
    told: u64,
    /// The step at which the expensive checks were last played.
    checked: u64,
    /// The time for which Ralph keeps facts; `None`: until the end of the run.
    facts_kept: Option<Span>,
    facts_forgotten: u64,
    /// A second Ralph on the same repositories.
    intruder: Option<intruder::Intruder>,
}

impl Simulator {
    pub(crate) fn new(options: &Options) -> Result<Self, EngineError> {
        let faults = options.is_calm.then(FaultPlan::calm);
        let mut world = SimWorld::new(options.seed, options.issues, faults, options.is_traced);
        world.faults.bug = options.bug;
        let policy = world.policy();
        let world = Rc::new(RefCell::new(world));
        let rules = options.bug.map_or_else(Rules::default, Bug::rules);
        let clock = RalphClock::default();
        let mut simulator = Self {
            world,
            engine: None,
            policy,
            rules,
            bug: options.bug,
            seed: options.seed,
            account: account(&clock, options.seed),
            clock,
            steps: 0,
            crashes: 0,
            told: 0,
            checked: 0,
            facts_kept: None,
            facts_forgotten: 0,
            intruder: None,
        };
        simulator.plan_the_run();
        let store = Store::in_memory().map_err(EngineError::Open)?;
        simulator.open(store)?;
        Ok(simulator)
    }

    fn plan_the_run(&mut self) {
        let world = &mut *self.world.borrow_mut();
        let with_faults = Span::from_mins(i64::try_from(world.prng.between(15, 40)).unwrap_or(40));
        let clears = world.clock.now().plus(with_faults);
        world.schedule.at(clears, Event::FaultsEnd);
        world.schedule.after(world.clock.now(), VISIT_MILLIS, Event::Person);
        world.schedule.after(world.clock.now(), 1, Event::Background);
        if world.faults.is_calm {
            return;
        }
        world.plan_visits(with_faults);
        world.plan_operations(with_faults);
        self.facts_kept = world.prng.chance(500).then_some(SHORT_MEMORY);
        if world.prng.chance(INTRUDED_PER_MILLE) {
            let at = world.prng.between(60_000, 900_000);
            world.schedule.after(world.clock.now(), at, Event::SecondRalph);
        }
        for (event, chances) in [(Event::ClockJumps, 2), (Event::ZombieWakes, 1), (Event::Crash, 6)]
        {
            for _ in 0..world.prng.below(chances + 1) {
                let at = world.prng.below(u64::try_from(with_faults.0).unwrap_or(1));
                world.schedule.after(world.clock.now(), at, event.clone());
            }
        }
    }

    fn open(&mut self, mut store: Store) -> Result<(), EngineError> {
        let (owner, now) = {
            let world = &mut *self.world.borrow_mut();
            world.machine.process += 1;
            world.trace.say(&format!("Ralph starts, process {}", world.machine.process));
            world.set_steady_clock();
            self.account =
                account(&self.clock, self.seed.wrapping_add(u64::from(world.machine.process)));
            (format!("process-{}", world.machine.process), world.clock.ralph_time())
        };
        if let Some(instance) = &mut self.policy.instance {
            instance.start.clone_from(&owner);
            instance.was_away = !store.was_alive(now)?;
            instance.is_behind = store.is_behind();
        }
        let proof = store
            .take_writer_lease(&owner, now, Takeover::HolderIsGone)
            .map_err(EngineError::Lease)?;
        let engine = Engine::with_proof(store, proof, now, self.policy.clone(), self.rules)?;
        let world = &mut *self.world.borrow_mut();
        for (key, issue) in engine.world().issues() {
            if let Some(managed) = issue.managed.as_deref() {
                world.oracle.judge_counters(key, managed, &engine);
            }
        }
        self.engine = Some(engine);
        Ok(())
    }

    pub(crate) fn run(mut self) -> Result<SimRun, EngineError> {
        loop {
            let played = self.play_a_moment();
            // What follows a broken promise proves nothing, an error included.
            if !self.world.borrow().oracle.violations.is_empty() {
                break;
            }
            if !played? {
                break;
            }
        }
        Ok(self.finish())
    }

    /// Plays all events of one moment; false at the end of the run.
    fn play_a_moment(&mut self) -> Result<bool, EngineError> {
        self.work_off()?;
        self.watch_intruder()?;
        if self.is_over() || !self.advance() {
            return Ok(false);
        }
        while let Some(event) = self.pop() {
            self.happen(event)?;
        }
        self.narrate()?;
        Ok(true)
    }

    /// Tells what Ralph decided and learned since the last time, in the words of `ralph explain`.
    fn narrate(&mut self) -> Result<(), EngineError> {
        let world = &mut *self.world.borrow_mut();
        let store = self.engine.as_ref().and_then(Engine::store);
        let Some(store) = store.filter(|_| world.trace.is_whole()) else { return Ok(()) };
        for entry in store.journal_after(self.told)? {
            self.told = entry.seq;
            if let (Some(key), Some(line)) = (entry.fact.subject.issue(), journal_line(&entry.fact))
            {
                let line = format!("{key} {line}");
                world.trace.tell(&line);
            }
        }
        Ok(())
    }

    fn finish(self) -> SimRun {
        let Self { world, engine, steps, crashes, rules, facts_forgotten, .. } = self;
        let world = &mut *world.borrow_mut();
        let mut ends = crate::oracle::liveness::Ends::default();
        let mut escalations = 0;
        if let Some(engine) = &engine {
            if world.oracle.violations.is_empty() {
                world.oracle.judge_consistency(&mut world.forge, engine, &rules);
                world.oracle.judge_journal(engine);
                world.oracle.judge_waits(engine);
                ends = world.judge_end(engine);
            }
            let managed = engine.world().issues().filter_map(|(_, issue)| issue.managed.as_ref());
            escalations = managed.map(|managed| u64::from(managed.episodes)).sum();
        }
        let hours = world.clock.now().since(BEGINNING).0 / 3_600_000;
        SimRun {
            steps,
            crashes,
            escalations,
            lanes_taken: world.oracle.lanes_taken(),
            lane_ends: world.oracle.record.lane_ends.clone(),
            facts_forgotten,
            ends,
            simulated_hours: u64::try_from(hours).unwrap_or(0),
            faults: world.faults.counts().clone(),
            violations: world.oracle.violations.clone(),
            hash: world.trace.hash(),
            lines: world.trace.lines(),
            store: engine.and_then(Engine::into_store),
        }
    }

    fn is_over(&self) -> bool {
        let world = &mut *self.world.borrow_mut();
        let is_endless = self.steps > STEPS_MAX
            || world.clock.now().since(BEGINNING) > Span::from_mins(DAYS_MAX * 24 * 60);
        // Ralph must have had the time to see the last thing that people did.
        let last_look = Span(self.policy.poll_interval.0 * 2).plus(Span::from_mins(5));
        let is_quiet = world.faults.is_calm
            && world.clock.now().since(world.forge.last_act) > last_look
            && !world.schedule.holds_news()
            && self.engine.as_ref().is_some_and(|engine| world.is_over(engine));
        is_endless || (is_quiet && !world.ask_for_more())
    }

    /// Moves time to the next thing that happens.
    fn advance(&self) -> bool {
        let world = &mut *self.world.borrow_mut();
        let ralph_time = world.clock.ralph_time();
        let engine = self.engine.as_ref().and_then(Engine::next_time);
        let engine = engine.into_iter().chain(self.intruders_next_time()).min();
        let engine = engine.map(|at| world.clock.now().plus(at.since(ralph_time).max(Span(1))));
        let next = world.schedule.next_time().into_iter().chain(engine).min();
        let Some(next) = next else { return false };
        world.clock.pass(next);
        true
    }

    fn pop(&self) -> Option<Event> {
        let world = &mut *self.world.borrow_mut();
        let now = world.clock.now();
        world.schedule.pop_due(now)
    }

    fn now(&self) -> Time {
        self.world.borrow().clock.ralph_time()
    }

    /// Lets the engine do what is due: decide again, ask, hand out effects.
    fn work_off(&mut self) -> Result<(), EngineError> {
        let now = self.now();
        let Some(engine) = self.engine.as_mut() else { return Ok(()) };
        engine.tick(now)?;
        // Only now has everything been decided that time alone brings about.
        if self.steps >= self.checked + EXPENSIVE_CHECK_EVERY {
            self.checked = self.steps;
            let world = &mut *self.world.borrow_mut();
            world.oracle.judge_consistency(&mut world.forge, engine, &self.rules);
            world.oracle.judge_labels(
                &mut world.forge,
                engine,
                engine.world().issues().map(|(key, _)| key),
            );
            world.oracle.judge_waits(engine);
            if let Some(kept) = self.facts_kept {
                self.facts_forgotten += engine.forget_facts(now.minus(kept))? as u64;
            }
        }
        while let Some(question) = engine.next_question(now)? {
            if self.bug.is_some_and(|bug| bug.swallows(&question)) {
                continue;
            }
            let world = &mut *self.world.borrow_mut();
            let delay = world.prng.between(20, 900);
            let (process, question) = (world.machine.process, Box::new(question));
            world.schedule.after(world.clock.now(), delay, Event::Ask { process, question });
        }
        while let Some(mut leased) = engine.lease(now)? {
            self.steps += 1;
            if let Some(bug) = self.bug {
                bug.rewrite_claimed(&mut leased);
            }
            let world = &mut *self.world.borrow_mut();
            world.oracle.judge_claim(&mut world.forge, &leased, engine.world());
            let delay = world.prng.between(20, 1_500);
            let (process, leased) = (world.machine.process, Box::new(leased));
            world.schedule.after(world.clock.now(), delay, Event::Perform { process, leased });
        }
        if engine.next_time().is_some_and(|at| at <= now) {
            let line = "everything due is done, and something is due again at once".to_owned();
            self.world.borrow_mut().oracle.broken("E2", line);
        }
        Ok(())
    }

    fn people(&self) {
        let world = &mut *self.world.borrow_mut();
        if world.faults.is_calm {
            if let Some(engine) = &self.engine {
                world.mend_reads(engine);
                world.look_after(engine.world());
            }
        } else {
            world.people();
            for repo in world.forge.repos.clone() {
                if world.prng.chance(250) {
                    world.merge_rollup(&repo);
                }
            }
        }
        let visit = world.prng.between(VISIT_MILLIS / 2, VISIT_MILLIS * 2);
        world.schedule.after(world.clock.now(), visit, Event::Person);
    }
}
