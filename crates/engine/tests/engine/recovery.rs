//! A new start after work was interrupted.

use crate::desk::{Desk, key};
use crate::hand_forge::{Mood, QUEUED};
use ralph_core::bound::Bound;
use ralph_core::fact::What;
use ralph_core::ids::Attempt;
use ralph_core::time::Span;

const LABEL: &str = "acme/widgets#7:label+ralph:status:in-progress";

fn leased() -> Desk {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    desk
}

#[test]
fn an_effect_in_somebodys_hands_goes_back_and_waits_a_minute() {
    let mut desk = leased();
    let in_hand = desk.claims().unwrap();
    assert_eq!(in_hand.key, LABEL);
    desk.later(Span::from_secs(5));
    desk.dies_and_returns();
    let row = desk.row(LABEL);
    assert_eq!((row.id, row.tries), (in_hand.id, 1));
    assert_eq!(row.due, desk.now.plus(Span::from_secs(60)));
    assert_eq!(row.reason, "Ralph ended while this was under way");
    let stored = desk.look("SELECT state, tries FROM outbox WHERE key LIKE '%label%'");
    assert_eq!(stored, ["pending|1"]);

    desk.later(Span(59_999));
    assert!(!std::iter::from_fn(|| desk.claims()).any(|leased| leased.key == LABEL));
    desk.later(Span(1));
    let again = desk.claims().unwrap();
    assert_eq!((again.key.as_str(), again.looks_first), (LABEL, true));
}

#[test]
fn on_a_forge_whose_reads_do_not_lag_it_waits_a_second() {
    let mut desk = leased();
    desk.claims().unwrap();
    desk.policy.read_lag = Span(0);
    desk.dies_and_returns();
    assert_eq!(desk.row(LABEL).due, desk.now.plus(Span::from_secs(1)));
}

#[test]
fn an_effect_that_nobody_had_in_hand_is_due_at_once() {
    let mut desk = leased();
    desk.dies_and_returns();
    let leased = desk.claims().unwrap();
    assert_eq!((leased.key.as_str(), leased.looks_first), (LABEL, false));
}

#[test]
fn a_comment_written_just_before_the_end_is_found_and_not_written_again() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), "ralph:status:escalated");
    desk.reads();
    let leased = desk.claims().unwrap();
    desk.performs(&leased);
    desk.dies_and_returns();
    desk.later(Span::from_secs(60));
    desk.works_off();
    assert_eq!(desk.forge.comments.len(), 1);
    assert_eq!(desk.forge.asked, ["acme/widgets#7 comment"]);
    assert!(desk.keys().is_empty());
}

#[test]
fn processes_die_with_ralph_and_the_interruption_is_counted() {
    for performs in [false, true] {
        let mut desk = leased();
        let starts = |leased: &ralph_engine::Leased| leased.key == "acme/widgets#7:start:1";
        let start = std::iter::from_fn(|| desk.claims()).find(starts).unwrap();
        if performs {
            let performed = desk.performs(&start);
            desk.settles(start.id, performed);
        }
        desk.dies_and_returns();
        let keys = desk.keys();
        assert!(!keys.contains(&start.key), "{keys:?}");
        assert!(keys.contains(&"acme/widgets#7:start:2".to_owned()), "{keys:?}");
        assert_eq!(desk.managed(7).run.as_ref().unwrap().spent.of(Bound::INTERRUPTIONS), 1);
        assert_eq!(desk.managed(7).attempt, Attempt(2));
        let told = interruptions(&mut desk);
        assert_eq!(told, [Attempt(1)], "performed: {performs}");
    }
}

fn interruptions(desk: &mut Desk) -> Vec<Attempt> {
    let journal = desk.engine().store().unwrap().journal_after(0).unwrap();
    let attempt = |what: &What| match what {
        What::Interrupted { attempt } => Some(*attempt),
        What::Seen(_)
        | What::RepoSeen(_)
        | What::Suspected { .. }
        | What::Finished { .. }
        | What::Settled(_)
        | What::Moved(_) => None,
    };
    journal.iter().filter_map(|entry| attempt(&entry.fact.what)).collect()
}

#[test]
fn dying_again_and_again_without_progress_ends_in_an_escalation() {
    let mut desk = leased();
    for deaths in 1..10 {
        desk.dies_and_returns();
        assert_eq!(desk.managed(7).run.as_ref().unwrap().spent.of(Bound::INTERRUPTIONS), deaths);
    }
    desk.dies_and_returns();
    let standing = desk.reader().explain(&key(7)).unwrap().unwrap().issue;
    assert_eq!(standing.status.as_deref(), Some("escalated"));
    assert_eq!(interruptions(&mut desk).len(), 10);
}

#[test]
fn a_result_of_an_attempt_before_the_death_changes_nothing() {
    let mut desk = leased();
    desk.works_off();
    let (issue, attempt, outcome) = desk.work.end_one().unwrap();
    desk.dies_and_returns();
    let before = desk.tables();
    let late = What::Finished { attempt, outcome };
    desk.observes(vec![ralph_core::fact::Fact::of(issue, late)]);
    assert_eq!(desk.tables(), before);
}

#[test]
fn what_the_forge_did_not_answer_keeps_its_place_over_a_death() {
    let mut desk = leased();
    desk.forge.mood = Mood::LosesChange;
    assert_eq!(desk.works_off_one().unwrap().key, LABEL);
    let before = desk.row(LABEL);
    desk.dies_and_returns();
    assert_eq!(desk.row(LABEL), before);
}

#[test]
fn opening_again_without_news_changes_nothing_but_the_lease() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), "ralph:status:stopped");
    desk.round();
    let but_leases = |desk: &Desk| {
        let tables = desk.tables();
        tables.into_iter().filter(|row| !row.starts_with("writer|")).collect::<Vec<_>>()
    };
    let before = but_leases(&desk);
    assert!(before.len() > 2, "{before:?}");
    desk.dies_and_returns();
    assert_eq!(but_leases(&desk), before);
}
