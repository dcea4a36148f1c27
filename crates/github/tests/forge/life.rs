//! A whole life of one issue: engine, client and forge together, with webhooks on. What it costs is counted.

use crate::town::{BEGINNING, BOT, CHECK, OWNER, Town, key, repo};
use crate::work::{PLAN, Work};
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, What};
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::time::Span;
use ralph_engine::ports::Ports;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, ask, perform};
use ralph_forge::{
    CheckCall, CheckOutput, CheckState, Conclusion, IssueCall, LabelCall, MergeMethod, MergeOrder,
    NewCheckRun, NewIssue, PullCall,
};
use ralph_github::Client;

/// More rounds than any life here takes.
const ROUNDS_MAX: usize = 200;
/// What one life may cost, without what the daemon reads once at its start.
const CHARGED_MAX: u32 = 25;

struct Daemon {
    town: Town,
    client: Client<Town>,
    work: Work,
    engine: Engine,
}

impl Daemon {
    fn new(town: &Town) -> Self {
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
        let engine = engine.expect("an engine");
        Self { town: town.clone(), client: town.client(), work: Work::new(town), engine }
    }

    /// Everything that is due now, until nothing is; then a second passes.
    fn round(&mut self) {
        while self.reads() | self.performs() | self.ends_work() {}
        self.town.later(Span::from_secs(1));
        self.town.settle();
        self.engine.tick(self.town.now()).expect("a turn");
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
        let performed = perform(&claimed, now, &mut ports);
        self.engine.settle(now, claimed.id, performed).expect("a turn");
        true
    }

    fn ends_work(&mut self) -> bool {
        let Some((issue, attempt, outcome)) = self.work.end_one() else { return false };
        let facts = vec![Fact::of(issue, What::Finished { attempt, outcome })];
        let texts = vec![(Digest::of(PLAN), PLAN.to_owned())];
        self.engine.observe_with_texts(self.town.now(), facts, texts).expect("a turn");
        true
    }

    fn rounds_until(&mut self, is_there: impl Fn(&Self) -> bool) {
        for _ in 0..ROUNDS_MAX {
            if is_there(self) {
                return;
            }
            self.round();
        }
        let standings: Vec<_> = self.engine.standings().collect();
        unreachable!("nothing moves any more: {standings:#?}");
    }

    fn phase(&self, number: u64) -> Option<&Phase> {
        Some(&self.engine.world().issue(&key(number))?.managed.as_ref()?.phase)
    }
}

/// The pull request with this number has the green check it needs.
fn passes(town: &Town, number: u64) {
    let Ok(ralph_forge::Reply::Pull(view)) = town.look(PullCall::Get { number }) else {
        unreachable!("pull request {number} is there");
    };
    let run = NewCheckRun {
        name: CHECK.to_owned(),
        head: view.summary.head_sha,
        state: CheckState::Completed(Conclusion::Success),
        details_url: Some("https://ci.example/1".to_owned()),
        output: CheckOutput::default(),
    };
    town.act(OWNER, CheckCall::CreateRun(run)).expect("a check");
}

#[test]
fn a_life_of_one_issue_with_one_check_costs_at_most_25_charged_requests() {
    let town = Town::new();
    let issue = NewIssue { title: "Add a flag".to_owned(), ..NewIssue::default() };
    town.act(OWNER, IssueCall::Create(issue)).expect("an issue");
    let mut daemon = Daemon::new(&town);
    // Labels are made, and everything has been read once, the rarest too.
    for _ in 0..400 {
        daemon.round();
    }
    town.take_counts();
    let names = vec!["ralph:status:queued".to_owned()];
    town.act(OWNER, LabelCall::Add { number: 1, names }).expect("a label");
    daemon.rounds_until(|daemon| daemon.town.look(PullCall::Get { number: 2 }).is_ok());
    passes(&town, 2);
    daemon.rounds_until(|daemon| matches!(daemon.phase(1), Some(Phase::InBot { .. })));
    daemon.rounds_until(|daemon| daemon.town.look(PullCall::Get { number: 3 }).is_ok());
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    town.act(OWNER, PullCall::Merge { number: 3, order }).expect("a merge");
    daemon.rounds_until(|daemon| matches!(daemon.phase(1), Some(Phase::Done { .. })));
    for _ in 0..90 {
        daemon.round();
    }
    let (charged, free) = town.take_counts();
    let total: u32 = charged.values().sum();
    println!("{total} charged, {free} free: {charged:#?}");
    assert!(total <= CHARGED_MAX, "{total} charged requests: {charged:#?}");
}
