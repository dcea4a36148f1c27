//! Ralph on the embedded forge through its real client, with everything kept that it told agents.

use crate::town::{BEGINNING, BOT, Town, repo};
use crate::work::{PLAN, Work};
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::ids::Login;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::routing::Decision;
use ralph_core::time::Span;
use ralph_engine::ports::Ports;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, ask, perform};
use ralph_github::Client;

/// More rounds than any life here takes.
const ROUNDS_MAX: usize = 300;

pub(crate) struct Daemon {
    pub(crate) town: Town,
    pub(crate) engine: Engine,
    pub(crate) prompts: Vec<String>,
    client: Client<Town>,
    work: Work,
    /// The first plan asks for a person, so that people have something to answer.
    has_planned: bool,
}

impl Daemon {
    pub(crate) fn new(town: &Town) -> Self {
        let rules = RepoPolicy {
            preflight: Some(vec!["make check".to_owned()]),
            rollup_batch: 1,
            rollup_idle: Span::ZERO,
            ..RepoPolicy::default()
        };
        let policy = Policy {
            max_workers: 2,
            poll_interval: Span::from_secs(30),
            read_lag: ralph_core::fold::READ_LAG,
            bot: Login::new(BOT),
            operator: None,
            worktrees: ManagedRoot::new("/srv/worktrees").expect("a path"),
            draining: false,
            repos: [(repo(), rules)].into(),
        };
        let store = Store::in_memory().expect("a store");
        let engine = Engine::open(store, "test", BEGINNING, policy, Takeover::HolderIsGone);
        Self {
            town: town.clone(),
            engine: engine.expect("an engine"),
            prompts: Vec::new(),
            client: town.client(),
            work: Work::new(town),
            has_planned: false,
        }
    }

    /// Everything that is due now, until nothing is; then some seconds pass.
    pub(crate) fn round(&mut self) {
        while self.reads() | self.performs() | self.ends_work() {}
        self.town.later(Span::from_secs(5));
        self.town.settle();
        self.engine.tick(self.town.now()).expect("a turn");
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

    fn reads(&mut self) -> bool {
        let now = self.town.now();
        for hint in self.town.take_hints() {
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
        let now = self.town.now();
        let Some(claimed) = self.engine.claim(now).expect("a claim") else { return false };
        let (mut workspaces, mut agents, mut gates) =
            (self.work.clone(), self.work.clone(), self.work.clone());
        let mut ports = Ports {
            forge: &mut self.client,
            workspaces: &mut workspaces,
            agents: &mut agents,
            gates: &mut gates,
        };
        self.prompts.extend(Some(claimed.prompt.clone()).filter(|prompt| !prompt.is_empty()));
        let performed = perform(&claimed, now, &mut ports);
        self.engine.settle(now, claimed.id, performed).expect("a turn");
        true
    }

    fn ends_work(&mut self) -> bool {
        let Some((issue, attempt, mut outcome)) = self.work.end_one() else { return false };
        if let Outcome::Turn { answer: Answer::Plan { routing, .. }, .. } = &mut outcome
            && !std::mem::replace(&mut self.has_planned, true)
        {
            routing.decision = Decision::Escalate;
        }
        let facts = vec![Fact::of(issue, What::Finished { attempt, outcome })];
        let texts = vec![(Digest::of(PLAN), PLAN.to_owned())];
        self.engine.observe_with_texts(self.town.now(), facts, texts).expect("a turn");
        true
    }
}
