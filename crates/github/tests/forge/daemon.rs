//! Engine, client and forge together, as a daemon runs them, in simulated seconds. What agents are reported is kept.

use crate::work::{PLAN, Work};
use crate::world::{BEGINNING, BOT, World, key, repo};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Instance, Policy, RepoPolicy};
use ralph_core::routing::Decision;
use ralph_core::time::Span;
use ralph_engine::ports::Ports;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, ask, perform};
use ralph_github::Client;
use std::collections::BTreeMap;

/// More rounds than any run here takes.
const ROUNDS_MAX: usize = 300;

/// Each merge is rolled up at once.
pub(crate) fn rules() -> RepoPolicy {
    RepoPolicy {
        preflight: Some(vec!["make check".to_owned()]),
        rollup_size: 1,
        rollup_idle: Span::ZERO,
        ..RepoPolicy::default()
    }
}

pub(crate) struct Daemon {
    pub(crate) world: World,
    client: Client<World>,
    work: Work,
    pub(crate) engine: Engine,
    /// The time that passes after each round.
    pub(crate) pause: Span,
    pub(crate) prompts: Vec<String>,
    /// The routing of the first plan, if it is not to continue.
    pub(crate) first_plan: Option<Decision>,
}

impl Daemon {
    pub(crate) fn new(world: &World, rules: RepoPolicy) -> Self {
        let policy = Policy {
            web: "https://forge.example".to_owned(),
            max_workers: 2,
            poll_interval: Span::from_secs(30),
            read_lag: ralph_core::fold::READ_LAG,
            bot: Login::new(BOT),
            operator: None,
            worktrees: ManagedRoot::new("/srv/worktrees").expect("a path"),
            draining: false,
            has_no_sandbox: false,
            is_short_of_disk: false,
            throttle: Default::default(),
            budget: Default::default(),
            accounts: BTreeMap::new(),
            left_out: std::collections::BTreeSet::new(),
            instance: Some(Instance {
                store: "the-store".to_owned(),
                start: "its-start".to_owned(),
                name: "workshop".to_owned(),
                was_away: false,
                is_behind: false,
            }),
            repos: [(repo(), rules)].into(),
        };
        let store = Store::in_memory().expect("a store");
        let engine = Engine::open(store, "test", BEGINNING, policy, Takeover::HolderIsGone);
        let engine = engine.expect("an engine");
        Self {
            world: world.clone(),
            client: world.client(),
            work: Work::new(world),
            engine,
            pause: Span::from_secs(1),
            prompts: Vec::new(),
            first_plan: None,
        }
    }

    /// Everything that is due now, until nothing is; then some time passes.
    pub(crate) fn round(&mut self) {
        while self.reads() | self.performs() | self.ends_work() {}
        self.time_passes();
    }

    /// One read or one effect that is due, or else some time passes.
    pub(crate) fn step(&mut self) {
        if !(self.reads() || self.performs()) {
            self.time_passes();
        }
    }

    /// As a round, but nothing that was begun comes to its end.
    pub(crate) fn idle_round(&mut self) {
        while self.reads() | self.performs() {}
        self.time_passes();
    }

    fn time_passes(&mut self) {
        self.world.later(self.pause);
        self.world.settle();
        self.engine.tick(self.world.now()).expect("a turn");
    }

    fn reads(&mut self) -> bool {
        let now = self.world.now();
        for hint in self.world.take_hints() {
            self.engine.hint(now, &hint);
        }
        let mut has_read = false;
        while let Some(question) = self.engine.next_question(now).expect("a question") {
            let reading = ask(&question, now, &mut self.client);
            self.engine.take_reading(now, reading).expect("a turn");
            has_read = true;
        }
        has_read
    }

    fn performs(&mut self) -> bool {
        let now = self.world.now();
        let Some(leased) = self.engine.lease(now).expect("a lease") else { return false };
        // The text of a pull request comes the same way, and is no prompt.
        let is_start = matches!(leased.effect, Effect::Machine(_, MachineAct::Start { .. }));
        let prompt = Some(leased.prompt.clone()).filter(|prompt| is_start && !prompt.is_empty());
        self.prompts.extend(prompt);
        let (mut workspaces, mut workers) = (self.work.clone(), self.work.clone());
        let mut ports =
            Ports { forge: &mut self.client, workspaces: &mut workspaces, workers: &mut workers };
        let performed = perform(&leased, now, &mut ports);
        self.engine.settle(now, leased.id, performed).expect("a turn");
        true
    }

    fn ends_work(&mut self) -> bool {
        let Some((issue, attempt, mut outcome)) = self.work.end_one() else { return false };
        if let Outcome::Turn { answer: Answer::Plan { routing, .. }, .. } = &mut outcome
            && let Some(decision) = self.first_plan.take()
        {
            routing.decision = decision;
        }
        let facts = vec![Fact::of(issue, What::Finished { attempt, outcome })];
        let texts = vec![(Digest::of(PLAN), PLAN.to_owned())];
        self.engine.observe_with_texts(self.world.now(), facts, texts).expect("a turn");
        true
    }

    pub(crate) fn rounds_until(&mut self, is_there: impl Fn(&Self) -> bool) {
        for _ in 0..ROUNDS_MAX {
            if is_there(self) {
                return;
            }
            self.round();
        }
        let standings: Vec<_> = self.engine.standings().collect();
        unreachable!("nothing moves any more: {standings:#?}");
    }

    pub(crate) fn phase(&self, number: u64) -> Option<&Phase> {
        Some(&self.engine.world().issue(&key(number))?.managed.as_ref()?.phase)
    }
}
