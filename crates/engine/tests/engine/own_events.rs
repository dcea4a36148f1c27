//! Ralph's own label events under a login that it may share with the operator: Ralph's writes are not commands,
//! whatever their answers were, and the operator's are.

use crate::desk::{Desk, key};
use crate::hand_forge::{BOT, Mood, QUEUED};
use crate::leases::stop;
use ralph_core::issue::Phase;
use ralph_core::time::Span;
use ralph_engine::Leased;

const QUEUE: &str = "ralph:cmd:queue";
const SATISFY: &str = "ralph:cmd:satisfy";
const STOP: &str = "ralph:cmd:stop";
const ADDS_QUEUED: &str = ":label+ralph:status:queued";

/// A desk where queued issues stay queued, with issue 7 open.
fn waiting() -> Desk {
    let mut desk = Desk::new();
    desk.policy.draining = true;
    desk.dies_and_returns();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk
}

fn does(desk: &mut Desk, who: &str, label: &str, on: bool) {
    desk.forge.is_labelled_by(who, &key(7), label, on);
    desk.hears_of(&key(7));
}

fn rounds(desk: &mut Desk, count: usize) {
    (0..count).for_each(|_| desk.round());
}

fn labels(desk: &Desk) -> Vec<&str> {
    desk.forge.shown(&key(7)).labels.iter().map(AsRef::as_ref).collect()
}

/// The issue was queued by the operator, and the queued label is about to be written.
fn about_to_show_queued() -> (Desk, Leased) {
    let mut desk = waiting();
    does(&mut desk, "alice", QUEUE, true);
    let adds = desk.leases_next(ADDS_QUEUED);
    (desk, adds)
}

#[test]
fn the_operators_own_queued_label_on_a_new_issue_counts_at_once() {
    let mut desk = waiting();
    does(&mut desk, BOT, QUEUED, true);
    assert_eq!(desk.managed(7).phase, Phase::Queued);
}

#[test]
fn every_command_label_of_the_operators_own_counts_and_is_cleared() {
    let mut desk = waiting();
    does(&mut desk, BOT, QUEUE, true);
    assert_eq!(desk.managed(7).phase, Phase::Queued);
    rounds(&mut desk, 6);
    assert_eq!(labels(&desk), [QUEUED]);
    does(&mut desk, BOT, "ralph:cmd:pause", true);
    assert!(desk.managed(7).is_paused);
    does(&mut desk, BOT, "ralph:cmd:satisfy", true);
    assert!(desk.issue(7).satisfied);
    does(&mut desk, BOT, STOP, true);
    assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }));
    rounds(&mut desk, 8);
    assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }));
    assert_eq!(labels(&desk), ["ralph:status:stopped"]);
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
        let (mut desk, adds) = about_to_show_queued();
        desk.forge.is_labelled_by("alice", &key(7), STOP, true);
        desk.forge.mood = if answer == Answer::Comes { Mood::Fine } else { Mood::LosesAnswer };
        let performed = desk.performs(&adds);
        desk.forge.mood = Mood::Fine;
        match answer {
            Answer::Comes => desk.settles(adds.id, performed),
            Answer::IsLost => {}
            Answer::IsLostAndRalphDies => {
                desk.settles(adds.id, performed);
                desk.dies_and_returns();
            }
            Answer::NeverCameAndRalphDies => desk.dies_and_returns(),
        }
        let is_stopped = |desk: &Desk| matches!(desk.managed(7).phase, Phase::Stopped { .. });
        desk.hears_of(&key(7));
        assert!(is_stopped(&desk), "{answer:?}");
        if answer == Answer::IsLost {
            let why = "no answer".to_owned();
            desk.settles(adds.id, ralph_engine::Performed::Unknown { why });
        }
        rounds(&mut desk, 12);
        assert!(is_stopped(&desk), "{answer:?}, six minutes later");
        assert_eq!(labels(&desk), ["ralph:status:stopped"], "{answer:?}");
    }
}

#[test]
fn a_queued_label_that_landed_twice_is_no_command_either_time() {
    let (mut desk, adds) = about_to_show_queued();
    desk.forge.mood = Mood::LosesAnswer;
    let performed = desk.performs(&adds);
    desk.forge.mood = Mood::Fine;
    desk.settles(adds.id, performed);
    desk.forge.is_labelled_by("alice", &key(7), QUEUED, false);
    desk.later(Span::from_secs(60));
    let again = desk.leases_next(ADDS_QUEUED);
    desk.forge.is_labelled_by("alice", &key(7), STOP, true);
    let performed = desk.performs(&again);
    desk.settles(again.id, performed);
    desk.hears_of(&key(7));
    assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }));
}

#[test]
fn the_operator_may_take_our_queued_label_away_and_put_it_on_again() {
    let (mut desk, adds) = about_to_show_queued();
    let performed = desk.performs(&adds);
    desk.settles(adds.id, performed);
    desk.works_off();
    desk.later(Span::from_secs(61));
    does(&mut desk, BOT, QUEUED, false);
    assert_eq!(desk.managed(7).phase, Phase::Out);
    desk.later(Span::from_secs(30));
    does(&mut desk, BOT, QUEUED, true);
    assert_eq!(desk.managed(7).phase, Phase::Queued);
}

#[test]
fn a_write_that_was_put_off_or_refused_explains_nothing() {
    for mood in [Mood::Later(None), Mood::Refuses] {
        let (mut desk, adds) = about_to_show_queued();
        desk.forge.mood = mood;
        let performed = desk.performs(&adds);
        desk.settles(adds.id, performed);
        desk.forge.mood = Mood::Fine;
        does(&mut desk, "alice", QUEUED, true);
        does(&mut desk, "alice", QUEUED, false);
        assert_eq!(desk.managed(7).phase, Phase::Out, "{mood:?}");
        does(&mut desk, BOT, QUEUED, true);
        assert_eq!(desk.managed(7).phase, Phase::Queued, "{mood:?}");
    }
}

#[test]
fn a_command_given_anew_while_its_old_label_is_cleared_is_not_withdrawn_by_us() {
    for who in ["alice", BOT] {
        let mut desk = waiting();
        does(&mut desk, who, SATISFY, true);
        let clears = desk.leases_next(":label-ralph:cmd:satisfy");
        desk.forge.is_labelled_by(who, &key(7), SATISFY, false);
        desk.forge.is_labelled_by(who, &key(7), SATISFY, true);
        let given = desk.managed(7).commands.last.clone().unwrap().id;
        let performed = desk.performs(&clears);
        desk.settles(clears.id, performed);
        rounds(&mut desk, 4);
        let last = desk.managed(7).commands.last.clone().unwrap().id;
        assert!(last > given, "{who}: the second one was not heard");
    }
}

#[test]
fn queue_given_anew_before_its_label_was_cleared_is_not_obeyed_when_the_issue_has_moved_on() {
    for who in ["alice", BOT] {
        let mut desk = waiting();
        does(&mut desk, who, QUEUE, true);
        let clears = desk.leases_next(":label-ralph:cmd:queue");
        desk.forge.is_labelled_by(who, &key(7), QUEUE, false);
        desk.forge.is_labelled_by(who, &key(7), QUEUE, true);
        let performed = desk.performs(&clears);
        desk.settles(clears.id, performed);
        rounds(&mut desk, 4);
        assert!(desk.managed(7).commands.reread_after.is_some(), "{who}: a queued issue can wait");
        let now = desk.now;
        desk.engine().observe(now, vec![stop(now)]).unwrap();
        rounds(&mut desk, 6);
        assert_eq!(desk.managed(7).commands.reread_after, None, "{who}");
        assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }), "{who}");
        does(&mut desk, who, QUEUE, true);
        assert_eq!(desk.managed(7).phase, Phase::Queued, "{who}: but this one is");
    }
}

#[test]
fn a_command_that_the_operator_takes_away_under_our_login_is_withdrawn() {
    for (gives, takes) in [("alice", "alice"), ("alice", BOT), (BOT, BOT), (BOT, "alice")] {
        for label in [QUEUE, QUEUED] {
            let mut desk = waiting();
            desk.forge.is_labelled_by(gives, &key(7), label, true);
            desk.forge.is_labelled_by(takes, &key(7), label, false);
            does(&mut desk, "alice", SATISFY, true);
            rounds(&mut desk, 4);
            assert_eq!(desk.managed(7).phase, Phase::Out, "{gives} {label}, taken by {takes}");
        }
    }
}

#[test]
fn the_book_on_our_writes_is_empty_again_once_their_events_were_read() {
    let (mut desk, adds) = about_to_show_queued();
    let performed = desk.performs(&adds);
    desk.settles(adds.id, performed);
    rounds(&mut desk, 4);
    desk.later(Span::from_mins(6));
    does(&mut desk, "alice", SATISFY, true);
    assert_eq!(desk.managed(7).labels.sent, []);
}
