//! The loop of a life: time moves to the next thing that happens, Ralph's engine is asked and answered, and
//! after every step the promises are checked.

mod events;
mod intruder;
mod judging;
mod mishaps;
mod operating;
mod performing;

use crate::bugs::Bug;
use crate::life::{Life, Options};
use crate::schedule::Event;
use crate::town::{BEGINNING, Town};
use crate::trace::Trace;
use crate::transport::{RalphClock, account};
use crate::weather::Weather;
use ralph_core::policy::Policy;
use ralph_core::time::{Span, Time};
use ralph_core::words::journal_line;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, EngineError, Rules};
use ralph_github::Account;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A life that has not come to rest by then never will.
const DAYS_MAX: i64 = 60;
/// Steps after which a life counts as endless.
const STEPS_MAX: u64 = 10_000;
/// How often the dear checks are played.
const DEAR_CHECK_EVERY: u64 = 128;
/// What Ralph remembers of the journal in lives that forget.
const SHORT_MEMORY: Span = Span::from_mins(10);
/// So many lives in a thousand see a second Ralph started by mistake.
const INTRUDED_PER_MILLE: u64 = 300;
/// How often people come by.
const VISIT_MILLIS: u64 = 240_000;

pub(crate) struct Simulator {
    town: Rc<RefCell<Town>>,
    engine: Option<Engine>,
    policy: Policy,
    rules: Rules,
    bug: Option<Bug>,
    seed: u64,
    clock: RalphClock,
    /// What the client of the living process remembers.
    account: Arc<Account>,
    steps: u64,
    crashes: u64,
    /// How far the journal was told.
    told: u64,
    /// The step at which the dear checks were last played.
    checked: u64,
    /// How long Ralph keeps facts; `None`: as long as the life lasts.
    facts_kept: Option<Span>,
    facts_forgotten: u64,
    /// A second Ralph on the same repositories.
    intruder: Option<intruder::Intruder>,
}

impl Simulator {
    pub(crate) fn new(options: &Options) -> Result<Self, EngineError> {
        let trace = Trace::new(BEGINNING, options.is_traced);
        let weather = options.is_calm.then(Weather::calm);
        let mut town = Town::new(options.seed, options.issues, weather, trace);
        town.bug = options.bug;
        let policy = town.policy();
        let town = Rc::new(RefCell::new(town));
        let rules = options.bug.map_or_else(Rules::default, Bug::rules);
        let clock = RalphClock::default();
        let mut simulator = Self {
            town,
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
        simulator.plan_the_life();
        let store = Store::in_memory().map_err(EngineError::Open)?;
        simulator.open(store)?;
        Ok(simulator)
    }

    fn plan_the_life(&mut self) {
        let town = &mut *self.town.borrow_mut();
        let stormy = Span::from_mins(i64::try_from(town.prng.between(15, 40)).unwrap_or(40));
        let clears = town.now.plus(stormy);
        town.schedule.at(clears, Event::WeatherClears);
        town.schedule.after(town.now, VISIT_MILLIS, Event::Person);
        town.schedule.after(town.now, 1, Event::Background);
        if town.weather.is_calm {
            return;
        }
        town.plan_visits(stormy);
        town.plan_operations(stormy);
        self.facts_kept = town.prng.chance(500).then_some(SHORT_MEMORY);
        if town.prng.chance(INTRUDED_PER_MILLE) {
            let at = town.prng.between(60_000, 900_000);
            town.schedule.after(town.now, at, Event::SecondRalph);
        }
        for (event, chances) in [(Event::ClockJumps, 2), (Event::ZombieWakes, 1), (Event::Crash, 6)]
        {
            for _ in 0..town.prng.below(chances + 1) {
                let at = town.prng.below(u64::try_from(stormy.0).unwrap_or(1));
                town.schedule.after(town.now, at, event.clone());
            }
        }
    }

    fn open(&mut self, mut store: Store) -> Result<(), EngineError> {
        let (owner, now) = {
            let town = &mut *self.town.borrow_mut();
            town.life += 1;
            town.say(&format!("Ralph starts, process {}", town.life));
            town.set_steady_clock();
            self.account = account(&self.clock, self.seed.wrapping_add(u64::from(town.life)));
            (format!("process-{}", town.life), town.ralph_time())
        };
        if let Some(instance) = &mut self.policy.instance {
            instance.start.clone_from(&owner);
            instance.was_away = !store.was_alive(now)?;
        }
        let proof = store
            .take_writer_lease(&owner, now, Takeover::HolderIsGone)
            .map_err(EngineError::Lease)?;
        let engine = Engine::with_proof(store, proof, now, self.policy.clone(), self.rules)?;
        let town = &mut *self.town.borrow_mut();
        for (key, issue) in engine.world().issues() {
            if let Some(managed) = issue.managed.as_deref() {
                town.judge_counters(key, managed, &engine);
            }
        }
        self.engine = Some(engine);
        Ok(())
    }

    pub(crate) fn run(mut self) -> Result<Life, EngineError> {
        loop {
            let played = self.play_a_moment();
            // What follows a broken promise proves nothing, an error included.
            if !self.town.borrow().violations.is_empty() {
                break;
            }
            if !played? {
                break;
            }
        }
        Ok(self.finish())
    }

    /// Everything that happens at one moment; false at the end of the life.
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
        let town = &mut *self.town.borrow_mut();
        let store = self.engine.as_ref().and_then(Engine::store);
        let Some(store) = store.filter(|_| town.trace.is_whole()) else { return Ok(()) };
        for entry in store.journal_after(self.told)? {
            self.told = entry.seq;
            if let (Some(key), Some(line)) = (entry.fact.subject.issue(), journal_line(&entry.fact))
            {
                let line = format!("{key} {line}");
                town.trace.tell(town.now, &line);
            }
        }
        Ok(())
    }

    fn finish(self) -> Life {
        let Self { town, engine, steps, crashes, rules, facts_forgotten, .. } = self;
        let town = &mut *town.borrow_mut();
        let mut ends = crate::liveness::Ends::default();
        let mut escalations = 0;
        if let Some(engine) = &engine {
            if town.violations.is_empty() {
                town.judge_consistency(engine, &rules);
                town.judge_journal(engine);
                town.judge_waits(engine);
                ends = town.judge_end(engine);
            }
            let managed = engine.world().issues().filter_map(|(_, issue)| issue.managed.as_ref());
            escalations = managed.map(|managed| u64::from(managed.episodes)).sum();
        }
        let hours = town.now.since(BEGINNING).0 / 3_600_000;
        Life {
            steps,
            crashes,
            escalations,
            lanes_taken: town.lanes_taken(),
            lane_ends: town.ledger.lane_ends.clone(),
            facts_forgotten,
            ends,
            simulated_hours: u64::try_from(hours).unwrap_or(0),
            faults: town.weather.counts().clone(),
            violations: town.violations.clone(),
            hash: town.trace.hash(),
            lines: town.trace.lines().map(str::to_owned).collect(),
            store: engine.and_then(Engine::into_store),
        }
    }

    fn is_over(&self) -> bool {
        let town = &mut *self.town.borrow_mut();
        let is_endless = self.steps > STEPS_MAX
            || town.now.since(BEGINNING) > Span::from_mins(DAYS_MAX * 24 * 60);
        // Ralph must have had the time to see the last thing that people did.
        let last_look = Span(self.policy.poll_interval.0 * 2).plus(Span::from_mins(5));
        let is_quiet = town.weather.is_calm
            && town.now.since(town.last_act) > last_look
            && !town.schedule.holds_news()
            && self.engine.as_ref().is_some_and(|engine| town.is_over(engine));
        is_endless || (is_quiet && !town.ask_for_more())
    }

    /// Moves time to the next thing that happens.
    fn advance(&self) -> bool {
        let town = &mut *self.town.borrow_mut();
        let ralph_time = town.ralph_time();
        let engine = self.engine.as_ref().and_then(Engine::next_time);
        let engine = engine.into_iter().chain(self.intruders_next_time()).min();
        let engine = engine.map(|at| town.now.plus(at.since(ralph_time).max(Span(1))));
        let next = town.schedule.next_time().into_iter().chain(engine).min();
        let Some(next) = next else { return false };
        town.pass(next);
        true
    }

    fn pop(&self) -> Option<Event> {
        let town = &mut *self.town.borrow_mut();
        let now = town.now;
        town.schedule.pop_due(now)
    }

    fn now(&self) -> Time {
        self.town.borrow().ralph_time()
    }

    /// Lets the engine do what is due: decide again, ask, hand out effects.
    fn work_off(&mut self) -> Result<(), EngineError> {
        let now = self.now();
        let Some(engine) = self.engine.as_mut() else { return Ok(()) };
        engine.tick(now)?;
        // Only now has everything been decided that time alone brings about.
        if self.steps >= self.checked + DEAR_CHECK_EVERY {
            self.checked = self.steps;
            let town = &mut *self.town.borrow_mut();
            town.judge_consistency(engine, &self.rules);
            town.judge_labels(engine, engine.world().issues().map(|(key, _)| key));
            town.judge_waits(engine);
            if let Some(kept) = self.facts_kept {
                self.facts_forgotten += engine.forget_facts(now.minus(kept))? as u64;
            }
        }
        while let Some(question) = engine.next_question(now)? {
            if self.bug.is_some_and(|bug| bug.swallows(&question)) {
                continue;
            }
            let town = &mut *self.town.borrow_mut();
            let delay = town.prng.between(20, 900);
            let (life, question) = (town.life, Box::new(question));
            town.schedule.after(town.now, delay, Event::Ask { life, question });
        }
        while let Some(mut claimed) = engine.claim(now)? {
            self.steps += 1;
            if let Some(bug) = self.bug {
                bug.rewrite_claimed(&mut claimed);
            }
            let town = &mut *self.town.borrow_mut();
            town.judge_claim(&claimed, engine.world());
            let delay = town.prng.between(20, 1_500);
            let (life, claimed) = (town.life, Box::new(claimed));
            town.schedule.after(town.now, delay, Event::Perform { life, claimed });
        }
        if engine.next_time().is_some_and(|at| at <= now) {
            let line = "everything due is done, and something is due again at once".to_owned();
            self.town.borrow_mut().broken("E2", line);
        }
        Ok(())
    }

    fn people(&self) {
        let town = &mut *self.town.borrow_mut();
        if town.weather.is_calm {
            if let Some(engine) = &self.engine {
                town.mend_reads(engine);
                town.look_after(engine.world());
            }
        } else {
            town.people();
            for repo in town.repos.clone() {
                if town.prng.chance(250) {
                    town.merge_rollup(&repo);
                }
            }
        }
        let visit = town.prng.between(VISIT_MILLIS / 2, VISIT_MILLIS * 2);
        town.schedule.after(town.now, visit, Event::Person);
    }
}
