//! Ralph's own label events under a login that it may share with the operator: Ralph's writes are not commands,
//! whatever their answers were, and the operator's are.

use crate::hand_forge::{BOT, QUEUED, ReplyMode};
use crate::harness::{Harness, key};
use crate::leases::stop;
use ralph_core::issue::Phase;
use ralph_core::time::Span;
use ralph_engine::Leased;

const QUEUE: &str = "ralph:cmd:queue";
const SATISFY: &str = "ralph:cmd:satisfy";
const STOP: &str = "ralph:cmd:stop";
const ADDS_QUEUED: &str = ":label+ralph:status:queued";

/// A harness where queued issues stay queued, with issue 7 open.
fn waiting() -> Harness {
    let mut harness = Harness::new();
    harness.policy.draining = true;
    harness.dies_and_returns();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness
}

fn does(harness: &mut Harness, who: &str, label: &str, on: bool) {
    harness.forge.person_labels(who, &key(7), label, on);
    harness.hears_of(&key(7));
}

fn rounds(harness: &mut Harness, count: usize) {
    (0..count).for_each(|_| harness.round());
}

fn labels(harness: &Harness) -> Vec<&str> {
    harness.forge.shown(&key(7)).labels.iter().map(AsRef::as_ref).collect()
}

/// The issue was queued by the operator, and the queued label is about to be written.
fn about_to_show_queued() -> (Harness, Leased) {
    let mut harness = waiting();
    does(&mut harness, "alice", QUEUE, true);
    let adds = harness.leases_next(ADDS_QUEUED);
    (harness, adds)
}

#[test]
fn the_operators_own_queued_label_on_a_new_issue_counts_at_once() {
    let mut harness = waiting();
    does(&mut harness, BOT, QUEUED, true);
    assert_eq!(harness.managed(7).phase, Phase::Queued);
}

#[test]
fn every_command_label_of_the_operators_own_counts_and_is_cleared() {
    let mut harness = waiting();
    does(&mut harness, BOT, QUEUE, true);
    assert_eq!(harness.managed(7).phase, Phase::Queued);
    rounds(&mut harness, 6);
    assert_eq!(labels(&harness), [QUEUED]);
    does(&mut harness, BOT, "ralph:cmd:pause", true);
    assert!(harness.managed(7).is_paused);
    does(&mut harness, BOT, "ralph:cmd:satisfy", true);
    assert!(harness.issue(7).satisfied);
    does(&mut harness, BOT, STOP, true);
    assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }));
    rounds(&mut harness, 8);
    assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }));
    assert_eq!(labels(&harness), ["ralph:status:stopped"]);
}

#[test]
fn our_queued_label_that_lands_after_a_stop_is_no_command_whatever_became_of_its_answer() {
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Answer {
        Comes,
        IsLost,
        IsLostAndRalphDies,
        NeverCameAndRalphDies,
    }
    for answer in
        [Answer::Comes, Answer::IsLost, Answer::IsLostAndRalphDies, Answer::NeverCameAndRalphDies]
    {
        let (mut harness, adds) = about_to_show_queued();
        harness.forge.person_labels("alice", &key(7), STOP, true);
        harness.forge.mode =
            if answer == Answer::Comes { ReplyMode::Fine } else { ReplyMode::LosesAnswer };
        let performed = harness.performs(&adds);
        harness.forge.mode = ReplyMode::Fine;
        match answer {
            Answer::Comes => harness.settles(adds.id, performed),
            Answer::IsLost => {}
            Answer::IsLostAndRalphDies => {
                harness.settles(adds.id, performed);
                harness.dies_and_returns();
            }
            Answer::NeverCameAndRalphDies => harness.dies_and_returns(),
        }
        let is_stopped =
            |harness: &Harness| matches!(harness.managed(7).phase, Phase::Stopped { .. });
        harness.hears_of(&key(7));
        assert!(is_stopped(&harness), "{answer:?}");
        if answer == Answer::IsLost {
            let why = "no answer".to_owned();
            harness.settles(adds.id, ralph_engine::Performed::Unknown { why });
        }
        rounds(&mut harness, 12);
        assert!(is_stopped(&harness), "{answer:?}, six minutes later");
        assert_eq!(labels(&harness), ["ralph:status:stopped"], "{answer:?}");
    }
}

#[test]
fn a_queued_label_that_landed_twice_is_no_command_either_time() {
    let (mut harness, adds) = about_to_show_queued();
    harness.forge.mode = ReplyMode::LosesAnswer;
    let performed = harness.performs(&adds);
    harness.forge.mode = ReplyMode::Fine;
    harness.settles(adds.id, performed);
    harness.forge.person_labels("alice", &key(7), QUEUED, false);
    harness.later(Span::from_secs(60));
    let again = harness.leases_next(ADDS_QUEUED);
    harness.forge.person_labels("alice", &key(7), STOP, true);
    let performed = harness.performs(&again);
    harness.settles(again.id, performed);
    harness.hears_of(&key(7));
    assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }));
}

#[test]
fn the_operator_may_take_our_queued_label_away_and_put_it_on_again() {
    let (mut harness, adds) = about_to_show_queued();
    let performed = harness.performs(&adds);
    harness.settles(adds.id, performed);
    harness.works_off();
    harness.later(Span::from_secs(61));
    does(&mut harness, BOT, QUEUED, false);
    assert_eq!(harness.managed(7).phase, Phase::Out);
    harness.later(Span::from_secs(30));
    does(&mut harness, BOT, QUEUED, true);
    assert_eq!(harness.managed(7).phase, Phase::Queued);
}

#[test]
fn a_write_that_was_put_off_or_refused_explains_nothing() {
    for mode in [ReplyMode::Later(None), ReplyMode::Refuses] {
        let (mut harness, adds) = about_to_show_queued();
        harness.forge.mode = mode;
        let performed = harness.performs(&adds);
        harness.settles(adds.id, performed);
        harness.forge.mode = ReplyMode::Fine;
        does(&mut harness, "alice", QUEUED, true);
        does(&mut harness, "alice", QUEUED, false);
        assert_eq!(harness.managed(7).phase, Phase::Out, "{mode:?}");
        does(&mut harness, BOT, QUEUED, true);
        assert_eq!(harness.managed(7).phase, Phase::Queued, "{mode:?}");
    }
}

#[test]
fn a_command_given_anew_while_its_old_label_is_cleared_is_not_withdrawn_by_us() {
    for who in ["alice", BOT] {
        let mut harness = waiting();
        does(&mut harness, who, SATISFY, true);
        let clears = harness.leases_next(":label-ralph:cmd:satisfy");
        harness.forge.person_labels(who, &key(7), SATISFY, false);
        harness.forge.person_labels(who, &key(7), SATISFY, true);
        let given = harness.managed(7).commands.last.clone().unwrap().id;
        let performed = harness.performs(&clears);
        harness.settles(clears.id, performed);
        rounds(&mut harness, 4);
        let last = harness.managed(7).commands.last.clone().unwrap().id;
        assert!(last > given, "{who}: the second one was not heard");
    }
}

#[test]
fn queue_given_anew_before_its_label_was_cleared_is_not_obeyed_when_the_issue_has_moved_on() {
    for who in ["alice", BOT] {
        let mut harness = waiting();
        does(&mut harness, who, QUEUE, true);
        let clears = harness.leases_next(":label-ralph:cmd:queue");
        harness.forge.person_labels(who, &key(7), QUEUE, false);
        harness.forge.person_labels(who, &key(7), QUEUE, true);
        let performed = harness.performs(&clears);
        harness.settles(clears.id, performed);
        rounds(&mut harness, 4);
        assert!(
            harness.managed(7).commands.reread_after.is_some(),
            "{who}: a queued issue can wait"
        );
        let now = harness.now;
        harness.engine().observe(now, vec![stop(now)]).unwrap();
        rounds(&mut harness, 6);
        assert_eq!(harness.managed(7).commands.reread_after, None, "{who}");
        assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }), "{who}");
        does(&mut harness, who, QUEUE, true);
        assert_eq!(harness.managed(7).phase, Phase::Queued, "{who}: but this one is");
    }
}

#[test]
fn a_command_that_the_operator_takes_away_under_our_login_is_withdrawn() {
    for (gives, takes) in [("alice", "alice"), ("alice", BOT), (BOT, BOT), (BOT, "alice")] {
        for label in [QUEUE, QUEUED] {
            let mut harness = waiting();
            harness.forge.person_labels(gives, &key(7), label, true);
            harness.forge.person_labels(takes, &key(7), label, false);
            does(&mut harness, "alice", SATISFY, true);
            rounds(&mut harness, 4);
            assert_eq!(harness.managed(7).phase, Phase::Out, "{gives} {label}, taken by {takes}");
        }
    }
}

#[test]
fn the_book_on_our_writes_is_empty_again_once_their_events_were_read() {
    let (mut harness, adds) = about_to_show_queued();
    let performed = harness.performs(&adds);
    harness.settles(adds.id, performed);
    rounds(&mut harness, 4);
    harness.later(Span::from_mins(6));
    does(&mut harness, "alice", SATISFY, true);
    assert_eq!(harness.managed(7).labels.sent, []);
}
