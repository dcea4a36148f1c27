//! A new start after work was interrupted.

use crate::hand_forge::{QUEUED, ReplyMode};
use crate::harness::{Harness, key};
use ralph_core::bound::Bound;
use ralph_core::fact::What;
use ralph_core::ids::Attempt;
use ralph_core::time::Span;

const LABEL: &str = "acme/widgets#7:label+ralph:status:in-progress";

fn leased() -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    harness
}

#[test]
fn an_effect_in_somebodys_hands_goes_back_and_waits_a_minute() {
    let mut harness = leased();
    let in_hand = harness.claims().unwrap();
    assert_eq!(in_hand.key, LABEL);
    harness.later(Span::from_secs(5));
    harness.dies_and_returns();
    let row = harness.row(LABEL);
    assert_eq!((row.id, row.tries), (in_hand.id, 1));
    assert_eq!(row.due, harness.now.plus(Span::from_secs(60)));
    assert_eq!(row.reason, "Ralph ended while this was under way");
    let stored = harness.look("SELECT state, tries FROM outbox WHERE key LIKE '%label%'");
    assert_eq!(stored, ["pending|1"]);

    harness.later(Span(59_999));
    assert!(!std::iter::from_fn(|| harness.claims()).any(|leased| leased.key == LABEL));
    harness.later(Span(1));
    let again = harness.claims().unwrap();
    assert_eq!((again.key.as_str(), again.looks_first), (LABEL, true));
}

#[test]
fn on_a_forge_whose_reads_do_not_lag_it_waits_a_second() {
    let mut harness = leased();
    harness.claims().unwrap();
    harness.policy.read_lag = Span(0);
    harness.dies_and_returns();
    assert_eq!(harness.row(LABEL).due, harness.now.plus(Span::from_secs(1)));
}

#[test]
fn an_effect_that_nobody_had_in_hand_is_due_at_once() {
    let mut harness = leased();
    harness.dies_and_returns();
    let leased = harness.claims().unwrap();
    assert_eq!((leased.key.as_str(), leased.looks_first), (LABEL, false));
}

#[test]
fn a_comment_written_just_before_the_end_is_found_and_not_written_again() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), "ralph:status:escalated");
    harness.reads();
    let leased = harness.claims().unwrap();
    harness.performs(&leased);
    harness.dies_and_returns();
    harness.later(Span::from_secs(60));
    harness.works_off();
    assert_eq!(harness.forge.comments.len(), 1);
    assert_eq!(harness.forge.asked, ["acme/widgets#7 comment"]);
    assert!(harness.keys().is_empty());
}

#[test]
fn processes_die_with_ralph_and_the_interruption_is_counted() {
    for performs in [false, true] {
        let mut harness = leased();
        let starts = |leased: &ralph_engine::Leased| leased.key == "acme/widgets#7:start:1";
        let start = std::iter::from_fn(|| harness.claims()).find(starts).unwrap();
        if performs {
            let performed = harness.performs(&start);
            harness.settles(start.id, performed);
        }
        harness.dies_and_returns();
        let keys = harness.keys();
        assert!(!keys.contains(&start.key), "{keys:?}");
        assert!(keys.contains(&"acme/widgets#7:start:2".to_owned()), "{keys:?}");
        assert_eq!(harness.managed(7).run.as_ref().unwrap().spent.of(Bound::INTERRUPTIONS), 1);
        assert_eq!(harness.managed(7).attempt, Attempt(2));
        let told = interruptions(&mut harness);
        assert_eq!(told, [Attempt(1)], "performed: {performs}");
    }
}

fn interruptions(harness: &mut Harness) -> Vec<Attempt> {
    let journal = harness.engine().store().unwrap().journal_after(0).unwrap();
    let attempt = |what: &What| match what {
        What::Interrupted { attempt } => Some(*attempt),
        What::Seen(_)
        | What::RepoSeen(_)
        | What::Suspected { .. }
        | What::Finished { .. }
        | What::Used { .. }
        | What::Settled(_)
        | What::Moved(_) => None,
    };
    journal.iter().filter_map(|entry| attempt(&entry.fact.what)).collect()
}

#[test]
fn dying_again_and_again_without_progress_ends_in_an_escalation() {
    let mut harness = leased();
    for deaths in 1..10 {
        harness.dies_and_returns();
        assert_eq!(harness.managed(7).run.as_ref().unwrap().spent.of(Bound::INTERRUPTIONS), deaths);
    }
    harness.dies_and_returns();
    let standing = harness.reader().explain(&key(7)).unwrap().unwrap().issue;
    assert_eq!(standing.status.as_deref(), Some("escalated"));
    assert_eq!(interruptions(&mut harness).len(), 10);
}

#[test]
fn a_result_of_an_attempt_before_the_death_changes_nothing() {
    let mut harness = leased();
    harness.works_off();
    let (issue, attempt, outcome) = harness.work.end_one().unwrap();
    harness.dies_and_returns();
    let before = harness.tables();
    let late = What::Finished { attempt, outcome };
    harness.observes(vec![ralph_core::fact::Fact::of(issue, late)]);
    assert_eq!(harness.tables(), before);
}

#[test]
fn what_the_forge_did_not_answer_keeps_its_place_over_a_death() {
    let mut harness = leased();
    harness.forge.mode = ReplyMode::LosesChange;
    assert_eq!(harness.works_off_one().unwrap().key, LABEL);
    let before = harness.row(LABEL);
    harness.dies_and_returns();
    assert_eq!(harness.row(LABEL), before);
}

#[test]
fn opening_again_without_news_changes_nothing_but_the_lease() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), "ralph:status:stopped");
    harness.round();
    let but_leases = |harness: &Harness| {
        let tables = harness.tables();
        tables.into_iter().filter(|row| !row.starts_with("writer|")).collect::<Vec<_>>()
    };
    let before = but_leases(&harness);
    assert!(before.len() > 2, "{before:?}");
    harness.dies_and_returns();
    assert_eq!(but_leases(&harness), before);
}
