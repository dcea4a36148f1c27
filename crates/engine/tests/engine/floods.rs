//! The guard against floods: a decision that requests the same change over and over is stopped, also after a restart,
//! until something different is seen.

use crate::harness::{key, policy};
use ralph_core::decide::{Plan, decide};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::Login;
use ralph_core::issue::Seen;
use ralph_core::policy::Policy;
use ralph_core::time::{Span, Time};
use ralph_core::world::{Touched, World};
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, Performed, REQUESTS_MAX, Rules};
use std::collections::BTreeSet;

const START: Time = Time(1_767_603_600_000);

/// Desires a label on every issue that it looks at, even if the label is there.
fn over_and_over(world: &World, touched: &Touched, now: Time, policy: &Policy) -> Plan {
    let mut plan = decide(world, touched, now, policy);
    for decision in plan.decisions.iter_mut().filter(|decision| decision.moves.is_empty()) {
        if let Some(issue) = decision.subject.issue().cloned() {
            let act = IssueAct::AddLabel { label: "ralph:priority:p2".into() };
            decision.effects.push(Effect::Issue(issue, act));
        }
    }
    plan
}

fn open(mut store: Store, now: Time) -> Engine {
    let proof = store.take_writer_lease("test", now, Takeover::HolderIsGone).unwrap();
    let rules = Rules { decide: over_and_over, check: |_, _, _| Vec::new() };
    Engine::with_proof(store, proof, now, policy(), rules).unwrap()
}

fn seen(title: &str, updated: Time) -> Vec<Fact> {
    let seen = Seen {
        title: title.into(),
        open: true,
        author: Login::new("acme"),
        labels: BTreeSet::new(),
        body: Digest::of(""),
        blocked_by: Vec::new(),
        blocks: Vec::new(),
        manual_checks: Vec::new(),
        updated,
        has_relations: false,
        follow_up: None,
        is_pull: Some(false),
        closed_by: None,
    };
    vec![Fact::of(key(7), What::Seen(Observation::Issue(seen)))]
}

/// Performs everything that is due for so many seconds, and counts the requests for the label.
fn requests(engine: &mut Engine, now: &mut Time, seconds: u32) -> usize {
    let mut requests = 0;
    for _ in 0..seconds {
        *now = now.plus(Span::from_secs(1));
        engine.tick(*now).unwrap();
        while let Some(leased) = engine.lease(*now).unwrap() {
            requests += usize::from(leased.key.contains("label+ralph:priority:p2"));
            engine.settle(*now, leased.id, Performed::Happened(Vec::new())).unwrap();
        }
    }
    requests
}

#[test]
fn the_same_change_over_and_over_stops_itself_and_a_restart_does_not_open_it_again() {
    let mut now = START;
    let mut engine = open(Store::in_memory().unwrap(), now);
    engine.observe(now, seen("A flag", now)).unwrap();
    assert_eq!(requests(&mut engine, &mut now, 60), REQUESTS_MAX);
    let [flood] = &engine.floods(now)[..] else { panic!("{:?}", engine.floods(now)) };
    assert!(flood.key.ends_with("label+ralph:priority:p2"));
    // Another reading in which only the time differs.
    for _ in 0..3 {
        engine.observe(now, seen("A flag", now)).unwrap();
        assert_eq!(requests(&mut engine, &mut now, 60), 0);
    }
    let mut engine = open(engine.into_store().unwrap(), now);
    assert_eq!(requests(&mut engine, &mut now, 600), 0);
    // After an hour one more request passes, but not a flood.
    now = now.plus(Span::from_mins(60));
    assert_eq!(requests(&mut engine, &mut now, 60), 1);
    now = now.plus(Span::from_mins(60));
    assert_eq!(requests(&mut engine, &mut now, 60), 0);
}

#[test]
fn something_different_is_a_reason_to_ask_again() {
    let mut now = START;
    let mut engine = open(Store::in_memory().unwrap(), now);
    engine.observe(now, seen("A flag", now)).unwrap();
    assert_eq!(requests(&mut engine, &mut now, 60), REQUESTS_MAX);
    engine.observe(now, seen("A flag", now)).unwrap();
    assert_eq!(requests(&mut engine, &mut now, 10), 0);
    engine.observe(now, seen("Another flag", now)).unwrap();
    assert_eq!(requests(&mut engine, &mut now, 60), REQUESTS_MAX);
}
