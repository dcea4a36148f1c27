//! The right to write: one owner at a time, and an owner that lost its lease can change nothing.

use crate::hand_forge::QUEUED;
use crate::harness::{Harness, key, policy};
use ralph_core::command::{Command, Manner};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::Login;
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, Phase};
use ralph_core::time::{Span, Time};
use ralph_engine::store::{LEASE_TTL, Store, StoreError, TakeError, Takeover};
use ralph_engine::{Engine, EngineError};

const LEASES: &str = "SELECT name, owner, token, expires FROM lease ORDER BY name";

/// An issue that was queued and leased.
fn claimed_desk() -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.rounds_until(|harness| {
        harness
            .world()
            .issue(&key(7))
            .is_some_and(|issue| issue.managed.as_ref().is_some_and(|managed| managed.is_claimed()))
    });
    harness
}

/// A person on this machine stops the issue.
pub(crate) fn stop(now: Time) -> Fact {
    let id = CommandId { at: now, id: 1, is_local: true };
    let command = PendingCommand {
        command: Command::Stop,
        actor: Some(Login::new("alice")),
        is_allowed: true,
        via: CommandVia::CommandLine,
        manner: Manner::Plain,
    };
    Fact::of(key(7), What::Seen(Observation::Command { id, command }))
}

#[test]
fn a_takeover_raises_the_token() {
    let mut harness = Harness::new();
    assert_eq!(harness.engine().token(), 1);
    harness.dies_and_returns();
    assert_eq!(harness.engine().token(), 2);
    harness.dies_and_returns();
    assert_eq!(harness.engine().token(), 3);
}

#[test]
fn a_stale_writer_is_refused_and_changes_nothing() {
    let mut harness = claimed_desk();
    let now = harness.now;
    let store = harness.engine().lend_store().unwrap();
    let gone = Takeover::HolderIsGone;
    let mut second = Engine::open(store, "second", now, policy(), gone).unwrap();
    let before = harness.tables();

    harness.engine().return_store(second.lend_store().unwrap());
    let refused = harness.engine().observe(now, vec![stop(now)]);
    let is_fenced =
        matches!(refused, Err(EngineError::Store(StoreError::Fenced { ours: 1, theirs: 2 })));
    assert!(is_fenced, "{refused:?}");
    assert_eq!(harness.tables(), before);
    let refused = harness.engine().lease(now);
    assert!(!matches!(refused, Ok(Some(_))), "a stale writer hands out nothing: {refused:?}");
    assert!(matches!(harness.engine().observe(now, Vec::new()), Err(EngineError::Broken)));
    assert_eq!(harness.tables(), before);

    second.return_store(harness.engine().lend_store().unwrap());
    second.observe(now, vec![stop(now)]).unwrap();
    let managed = second.world().issue(&key(7)).unwrap().managed.as_deref();
    assert!(matches!(managed.unwrap().phase, Phase::Stopped { .. }));
}

#[test]
fn a_live_lease_is_taken_only_after_it_ran_out() {
    let mut store = Store::in_memory().unwrap();
    let start = Time(1_000);
    let first = store.take_writer_lease("first", start, Takeover::AfterExpiry).unwrap();
    let end = start.plus(LEASE_TTL);
    assert_eq!((first.token(), first.expires()), (1, end));

    let held = store.take_writer_lease("second", end.minus(Span(1)), Takeover::AfterExpiry);
    let Err(TakeError::Held(held)) = held else { panic!("taken while it was held: {held:?}") };
    assert_eq!((held.owner.as_str(), held.expires), ("first", end));
    let second = store.take_writer_lease("second", end, Takeover::AfterExpiry).unwrap();
    assert_eq!((second.token(), second.expires()), (2, end.plus(LEASE_TTL)));
}

#[test]
fn a_writer_whose_process_is_gone_need_not_be_waited_for() {
    let mut store = Store::in_memory().unwrap();
    let now = Time(1_000);
    store.take_writer_lease("first", now, Takeover::AfterExpiry).unwrap();
    let second = store.take_writer_lease("second", now, Takeover::HolderIsGone).unwrap();
    assert_eq!(second.token(), 2);
}

#[test]
fn turns_renew_the_lease_when_a_third_of_it_is_used_up() {
    let mut harness = Harness::new();
    let expires =
        |harness: &Harness| harness.look("SELECT expires FROM lease WHERE name = 'writer'");
    let at_first = harness.now.plus(LEASE_TTL);
    harness.later(Span::from_secs(19));
    harness.observes(Vec::new());
    assert_eq!(expires(&harness), [at_first.0.to_string()]);
    harness.later(Span::from_secs(1));
    harness.observes(Vec::new());
    assert_eq!(expires(&harness), [harness.now.plus(LEASE_TTL).0.to_string()]);
}

#[test]
fn an_effect_may_be_sent_only_while_the_lease_lasts() {
    let mut harness = claimed_desk();
    harness.observes(vec![stop(harness.now)]);
    let leased = harness.claims().unwrap();
    let expires = harness.look("SELECT expires FROM lease WHERE name = 'writer'");
    assert_eq!(leased.valid_until.0.to_string(), expires[0]);
    harness.now = leased.valid_until;
    let asked = harness.forge.asked.len();
    let performed = harness.performs(&leased);
    assert!(matches!(performed, ralph_engine::Performed::Later { .. }), "{performed:?}");
    assert_eq!(harness.forge.asked.len(), asked, "nothing was sent");
}

#[test]
fn a_claim_has_a_lease_of_its_own_until_it_is_over() {
    let mut harness = claimed_desk();
    let leases = harness.look(LEASES);
    let (writer, claim) = (leases[1].strip_prefix("writer|"), leases[0].split_once('|'));
    assert_eq!(claim, Some(("acme/widgets#7", writer.unwrap())), "{leases:?}");

    harness.later(Span::from_secs(45));
    harness.dies_and_returns();
    let expires = harness.now.plus(LEASE_TTL).0;
    let row = |name: &str| format!("{name}|harness|2|{expires}");
    assert_eq!(harness.look(LEASES), [row("acme/widgets#7"), row("writer")]);

    harness.observes(vec![stop(harness.now)]);
    harness.works_off();
    assert_eq!(harness.look(LEASES), [row("writer")]);
}
