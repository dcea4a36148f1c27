//! The journal holds every difference and nothing else, so folding it from the start gives the rows, which equal
//! memory.

use crate::hand_forge::ReplyMode;
use crate::harness::{Harness, key};
use crate::whole_run;
use proptest::prelude::*;
use ralph_core::fact::{Fact, Observation, Outcome, What};
use ralph_core::ids::Attempt;
use ralph_core::issue::{DoneEvidence, Phase, Seen};
use ralph_core::pull::CheckState;
use ralph_core::time::{Span, Time};
use ralph_core::world::World;
use ralph_engine::store::JournalEntry;

fn journal(harness: &mut Harness) -> Vec<JournalEntry> {
    harness.engine().store().unwrap().journal_after(0).unwrap()
}

/// Every row of a world in a form that shows where two worlds differ.
fn rows(world: &World) -> Vec<String> {
    let issues = world.issues().map(|(key, issue)| format!("{key} {issue:?}"));
    issues.chain(world.repos().map(|(name, repo)| format!("{name} {repo:?}"))).collect()
}

fn standings(harness: &mut Harness) -> Vec<String> {
    harness.engine().standings().map(|standing| format!("{standing:?}")).collect()
}

/// Memory, rows and a fresh fold of the journal agree.
fn agree(harness: &mut Harness) -> Result<(), TestCaseError> {
    let mut folded = World::default();
    for entry in journal(harness) {
        folded.apply(entry.at, &entry.fact);
    }
    let engine = harness.engine();
    let store = engine.store().unwrap();
    let stored = store.world().unwrap();
    prop_assert_eq!(rows(engine.world()), rows(&stored), "memory and rows");
    prop_assert_eq!(rows(&stored), rows(&folded), "rows and journal");
    for (name, queues) in stored.all_queues() {
        prop_assert_eq!(engine.world().queues(name), Some(queues), "queues in memory and of rows");
    }
    prop_assert!(engine.outbox().eq(store.outbox().unwrap().iter()), "outbox in memory and stored");
    prop_assert!(engine.faults().is_empty(), "{:?}", engine.faults());
    prop_assert_eq!(engine.restless_turns(), 0);
    Ok(())
}

#[test]
fn a_fact_that_changes_nothing_is_not_journaled() {
    let mut harness = whole_run::begun();
    harness.round();
    let before = journal(&mut harness);
    let seen = harness.issue(7).seen.clone().unwrap();
    let older = Seen { title: "An old title".into(), updated: Time(0), ..seen.clone() };
    let reason = "far too late".to_owned();
    let late = What::Finished { attempt: Attempt(99), outcome: Outcome::Failed { reason } };
    for nothing_new in [
        What::Seen(Observation::Issue(seen)),
        What::Seen(Observation::Issue(older)),
        What::Interrupted { attempt: Attempt(99) },
        late,
    ] {
        harness.observes(vec![Fact::of(key(7), nothing_new)]);
        assert_eq!(journal(&mut harness), before);
    }
}

#[test]
fn reading_what_is_known_grows_no_journal() {
    let mut harness = whole_run::finished_run();
    harness.later(Span::from_mins(60));
    harness.round();
    let before = journal(&mut harness).len();
    for _ in 0..20 {
        harness.later(Span::from_mins(60));
        harness.round();
    }
    assert_eq!(journal(&mut harness).len(), before);
}

#[test]
fn a_whole_life_folds_to_its_rows() {
    let mut harness = whole_run::finished_run();
    agree(&mut harness).unwrap();
    let managed = harness.managed(7);
    let merged = managed.reach.as_ref().and_then(|reach| reach.evidence.clone());
    assert!(matches!(merged, Some(DoneEvidence::Reachable { .. })), "{merged:?}");
    assert!(harness.keys().is_empty(), "nothing is left to do");
    harness.dies_and_returns();
    agree(&mut harness).unwrap();
}

#[test]
fn pruning_shortens_the_story_and_keeps_the_rows() {
    let mut harness = whole_run::finished_run();
    let all = journal(&mut harness).len();
    let (state, middle) = (rows(harness.world()), journal(&mut harness)[all / 2].at);
    harness.dies();
    let mut store = ralph_engine::store::Store::open(&harness.path()).unwrap();
    let pruned = store.prune_journal(middle).unwrap();
    let left = store.journal_after(0).unwrap();
    assert_eq!(pruned + left.len(), all);
    assert!(pruned > 0 && left.iter().all(|entry| entry.at >= middle));
    store.prune_journal(harness.now.plus(Span(1))).unwrap();
    drop(store);

    harness.opens();
    assert_eq!(
        journal(&mut harness).len(),
        1,
        "the last one holds the place from which numbers go on"
    );
    assert_eq!(rows(harness.world()), state);
    let report = harness.reader().explain(&key(7)).unwrap().unwrap();
    assert_eq!((report.issue.says.as_str(), report.story.len()), ("done", 1));
}

#[test]
fn forgetting_old_facts_shortens_the_story_and_changes_nothing_else() {
    let mut harness = whole_run::waiting_for_checks();
    harness.forge.labels(&key(7), "ralph:cmd:pause");
    harness.hears_of(&key(7));
    harness.forge.mode = ReplyMode::LosesChange;
    harness.works_off_one().unwrap();
    let all = journal(&mut harness);
    let oldest = all[all.len() / 2].at;
    let kept: Vec<_> = all.iter().filter(|entry| entry.at >= oldest).cloned().collect();
    assert!(kept.len() > 1 && kept.len() < all.len() && !harness.outbox().is_empty());
    let (tables, memory) = (harness.tables_but("fact"), rows(harness.world()));
    let (outbox, standings) = (harness.outbox(), standings(&mut harness));

    assert_eq!(harness.engine().forget_facts(oldest).unwrap(), all.len() - kept.len());
    assert_eq!(journal(&mut harness), kept);
    assert_eq!(harness.tables_but("fact"), tables);
    assert_eq!((rows(harness.world()), harness.outbox()), (memory.clone(), outbox.clone()));
    assert_eq!(harness.engine().forget_facts(oldest).unwrap(), 0);

    harness.dies_and_returns();
    assert_eq!((rows(harness.world()), harness.outbox()), (memory, outbox));
    assert_eq!(self::standings(&mut harness), standings);
    harness.forge.mode = ReplyMode::Fine;
    harness.forge.ci = Some(CheckState::Pass);
    harness.forge.labels(&key(7), "ralph:cmd:queue");
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
}

#[test]
fn a_number_in_the_journal_is_a_place_to_read_on_from() {
    let mut harness = whole_run::begun();
    let all = journal(&mut harness);
    let store = harness.engine().store().unwrap();
    for (at, entry) in all.iter().enumerate() {
        assert_eq!(store.journal_after(entry.seq).unwrap(), all[at + 1..]);
    }
}

const LABELS: [&str; 10] = [
    "bug",
    "ralph:status:queued",
    "ralph:status:in-progress",
    "ralph:status:paused",
    "ralph:status:escalated",
    "ralph:status:done",
    "ralph:cmd:stop",
    "ralph:cmd:queue",
    "ralph:priority:p0",
    "ralph:blocked",
];

const BODIES: [&str; 4] =
    ["", "Please.", "## Blocked by\n- #2\n- [x] #3\n", "## Blocked by\n- #1\n- acme/gears#9\n"];

/// An event in Ralph's life.
#[derive(Debug, Clone)]
enum Deed {
    Edit { issue: u64, labels: Vec<&'static str>, open: bool, body: &'static str },
    Wait { secs: i64 },
    Read,
    Work { mode: ReplyMode },
    EndWork,
    Die,
}

fn deed() -> impl Strategy<Value = Deed> {
    let labels = proptest::sample::subsequence(&LABELS[..], 0..4);
    let body = proptest::sample::select(&BODIES[..]);
    let edit = (1..4_u64, labels, proptest::bool::weighted(0.8), body)
        .prop_map(|(issue, labels, open, body)| Deed::Edit { issue, labels, open, body });
    let modes = [
        ReplyMode::Fine,
        ReplyMode::Refuses,
        ReplyMode::Later(None),
        ReplyMode::LosesChange,
        ReplyMode::LosesAnswer,
    ];
    prop_oneof![
        4 => edit,
        4 => (1..90_i64).prop_map(|secs| Deed::Wait { secs }),
        4 => Just(Deed::Read),
        4 => proptest::sample::select(modes.to_vec()).prop_map(|mode| Deed::Work { mode }),
        3 => Just(Deed::EndWork),
        1 => Just(Deed::Die),
    ]
}

fn happen(harness: &mut Harness, deed: &Deed) {
    match deed {
        Deed::Edit { issue, labels, open, body } => {
            harness.forge.rewrites(&key(*issue), labels, *open, body);
            harness.hears_of(&key(*issue));
        }
        Deed::Wait { secs } => harness.later(Span::from_secs(*secs)),
        Deed::Read => harness.reads(),
        Deed::Work { mode } => {
            harness.forge.mode = *mode;
            harness.works_off();
            harness.forge.mode = ReplyMode::Fine;
        }
        Deed::EndWork => harness.ends_work(),
        Deed::Die => harness.dies_and_keeps_the_store(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn memory_rows_and_journal_agree_whatever_is_seen(deeds in prop::collection::vec(deed(), 1..40)) {
        let mut harness = Harness::in_memory();
        for number in 1..4 {
            harness.forge.opens(&key(number), "Add a flag", "");
        }
        harness.reads();
        for deed in &deeds {
            happen(&mut harness, deed);
            agree(&mut harness)?;
        }
    }
}
