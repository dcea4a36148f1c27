//! The life of a desired effect: queued once, leased one per ordering key, put back if the result is unknown, looked up
//! before the next try, settled once.

use crate::desk::{Desk, elsewhere, key};
use crate::hand_forge::{Mood, QUEUED};
use ralph_core::effect::OrderingKey;
use ralph_core::fact::{Settled, What};
use ralph_core::ids::IssueKey;
use ralph_core::time::{Span, Time};
use ralph_engine::{HeldKey, Performed};
use std::collections::BTreeSet;

const ESCALATED: &str = "ralph:status:escalated";
const COMMENT: &str = "acme/widgets#7:comment:escalation-1";
const LABEL: &str = "acme/widgets#7:label+ralph:status:in-progress";

/// An issue with an escalated label that the store does not know about, so that a comment is desired.
fn escalated(desk: &mut Desk, issue: &IssueKey) {
    desk.forge.opens(issue, "Add a flag", "");
    desk.forge.labels(issue, ESCALATED);
    desk.hears_of(issue);
}

/// An issue that was queued and claimed: its process and its label are desired.
fn leased() -> Desk {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    desk
}

#[test]
fn an_effect_wanted_twice_is_queued_once() {
    let mut desk = leased();
    let before = desk.outbox();
    assert_eq!(desk.keys(), [LABEL, "acme/widgets#7:start:1"]);
    let seen = desk.issue(7).seen.clone().unwrap();
    let again = ralph_core::fact::Observation::Issue(seen);
    desk.observes(vec![ralph_core::fact::Fact::of(key(7), What::Seen(again))]);
    let (now, policy) = (desk.now, crate::desk::policy());
    desk.engine().set_policy(now, policy).unwrap();
    assert_eq!(desk.outbox(), before);
    let stored = desk.look("SELECT id, key FROM outbox ORDER BY id");
    let known: Vec<_> = before.iter().map(|row| format!("{}|{}", row.id, row.key)).collect();
    assert_eq!(stored, known);
}

#[test]
fn what_nobody_wants_and_nobody_tried_is_forgotten() {
    let mut desk = leased();
    desk.forge.labels(&key(7), "ralph:cmd:stop");
    desk.later(Span::from_secs(30));
    desk.reads();
    let keys = desk.keys();
    assert!(!keys.iter().any(|key| key == LABEL || key.ends_with("start:1")), "{keys:?}");
}

#[test]
fn what_is_claimed_cannot_be_claimed_again_and_is_settled_once() {
    let mut desk = Desk::new();
    escalated(&mut desk, &key(7));
    let leased = desk.claims().unwrap();
    assert_eq!(leased.key, COMMENT);
    assert!(!leased.looks_first && !leased.only_looks);
    assert_eq!(desk.claims(), None);

    let performed = desk.performs(&leased);
    desk.settles(leased.id, performed.clone());
    let after = desk.tables();
    desk.settles(leased.id, performed);
    assert_eq!(desk.tables(), after);
    assert!(desk.keys().is_empty());
}

#[test]
fn each_lane_has_one_claim_at_a_time() {
    let mut desk = leased();
    escalated(&mut desk, &key(8));
    escalated(&mut desk, &key(10));
    escalated(&mut desk, &elsewhere(9));
    let first: Vec<_> = std::iter::from_fn(|| desk.claims()).collect();
    let lanes: BTreeSet<_> =
        first.iter().map(|leased| desk.row(&leased.key).ordering_key).collect();
    let expected =
        ["forge:acme/gears", "forge:acme/widgets", "labels:acme/widgets", "process:acme/widgets#7"];
    assert_eq!(lanes, expected.map(str::to_owned).into());
    assert_eq!(first.len(), expected.len());

    for leased in first.iter().filter(|leased| leased.key.starts_with("acme/widgets#8:")) {
        let performed = desk.performs(leased);
        desk.settles(leased.id, performed);
    }
    let next = desk.claims().unwrap();
    assert_eq!(desk.row(&next.key).ordering_key, "forge:acme/widgets");
    assert_eq!(desk.claims(), None);
}

#[test]
fn later_holds_its_lane_and_no_other() {
    let mut desk = leased();
    escalated(&mut desk, &key(8));
    escalated(&mut desk, &elsewhere(9));
    let until = desk.now.plus(Span::from_secs(90));
    desk.forge.mood = Mood::Later(Some(until));
    let turned_away = desk.works_off_one().unwrap();
    assert_eq!(turned_away.key, LABEL);
    desk.forge.mood = Mood::Fine;

    let held = desk.engine().held_keys();
    let held_key = OrderingKey::Labels("acme/widgets".to_owned());
    let why = desk.row(LABEL).reason;
    assert!(!why.is_empty());
    assert_eq!(held, [HeldKey { key: held_key, why, until, effects: 1 }]);
    assert_eq!((desk.row(LABEL).tries, desk.row(LABEL).due), (0, until));
    desk.works_off();
    assert_eq!(desk.keys(), [LABEL], "the others went on");
    let commented: BTreeSet<_> = desk.forge.comments.iter().map(|(on, ..)| on.clone()).collect();
    assert_eq!(commented, [key(8), elsewhere(9)].into(), "a label that waits holds no comment");

    desk.later(Span::from_secs(89));
    assert_eq!(desk.claims(), None);
    desk.later(Span::from_secs(1));
    desk.works_off();
    assert!(desk.keys().is_empty(), "{:?}", desk.keys());
    assert_eq!(desk.engine().held_keys(), []);
}

#[test]
fn later_without_a_time_waits_a_minute() {
    let mut desk = leased();
    desk.forge.mood = Mood::Later(None);
    desk.works_off_one().unwrap();
    let row = desk.row(LABEL);
    assert_eq!((row.due, row.reason.as_str()), (desk.now.plus(Span::from_secs(60)), "busy"));
}

#[test]
fn what_may_have_happened_waits_a_minute_and_is_looked_up_first() {
    for (mood, asked) in [(Mood::LosesAnswer, 1), (Mood::LosesChange, 2)] {
        let mut desk = Desk::new();
        escalated(&mut desk, &key(7));
        desk.forge.mood = mood;
        assert_eq!(desk.works_off_one().unwrap().key, COMMENT);
        desk.forge.mood = Mood::Fine;
        let row = desk.row(COMMENT);
        assert_eq!((row.tries, row.due), (1, desk.now.plus(Span::from_secs(60))));

        desk.later(Span(59_999));
        assert_eq!(desk.claims(), None);
        desk.later(Span(1));
        let again = desk.works_off_one().unwrap();
        assert!(again.looks_first && !again.only_looks);
        assert_eq!(desk.forge.comments.len(), 1, "{mood:?}");
        assert_eq!(desk.forge.asked.len(), asked, "{mood:?}");
        let known = desk.managed(7).comments.values().next().unwrap();
        assert_eq!(known.id, Some(desk.forge.comments[0].1.id));
        assert!(desk.keys().is_empty());
    }
}

#[test]
fn what_may_have_happened_and_is_not_wanted_any_more_is_only_looked_up() {
    for (mood, left) in [(Mood::LosesAnswer, 1), (Mood::LosesChange, 0)] {
        let mut desk = Desk::new();
        escalated(&mut desk, &key(7));
        desk.forge.mood = mood;
        assert_eq!(desk.works_off_one().unwrap().key, COMMENT);
        desk.forge.mood = Mood::Fine;
        desk.forge.labels(&key(7), QUEUED);
        desk.later(Span::from_secs(30));
        desk.reads();
        assert!(!desk.row(COMMENT).is_wanted);

        desk.later(Span::from_secs(30));
        let claims = std::iter::from_fn(|| desk.works_off_one());
        let looked = claims.into_iter().find(|leased| leased.key == COMMENT).unwrap();
        assert!(looked.only_looks);
        assert_eq!(desk.forge.comments.len(), left, "{mood:?}: nothing new is written");
        assert_eq!(desk.managed(7).comments.len(), left, "{mood:?}: what was found is known");
        assert!(!desk.keys().contains(&COMMENT.to_owned()));
    }
}

#[test]
fn a_label_that_may_be_there_and_is_not_wanted_any_more_is_taken_back_without_a_poll() {
    for (mood, is_left) in [(Mood::LosesAnswer, true), (Mood::LosesChange, false)] {
        let mut desk = leased();
        desk.forge.mood = mood;
        assert_eq!(desk.works_off_one().unwrap().key, LABEL);
        desk.forge.mood = Mood::Fine;
        desk.forge.labels(&key(7), "ralph:cmd:pause");
        desk.later(Span::from_secs(10));
        desk.hears_of(&key(7));
        let in_progress = "ralph:status:in-progress";
        assert_eq!(desk.forge.shown(&key(7)).labels.contains(in_progress), is_left, "{mood:?}");
        desk.later(Span::from_secs(50));
        desk.works_off();
        assert!(!desk.forge.shown(&key(7)).labels.contains(in_progress), "{mood:?}");
        let taken_off = format!("acme/widgets#7 -{in_progress}");
        assert_eq!(desk.forge.asked.contains(&taken_off), is_left, "{:?}", desk.forge.asked);
    }
}

#[test]
fn what_became_of_a_label_is_looked_up_before_another_one_is_written() {
    for mood in [Mood::LosesAnswer, Mood::LosesChange] {
        let mut desk = leased();
        desk.forge.mood = mood;
        assert_eq!(desk.works_off_one().unwrap().key, LABEL);
        desk.forge.mood = Mood::Fine;
        desk.forge.labels(&key(7), "ralph:cmd:pause");
        desk.later(Span::from_secs(10));
        desk.hears_of(&key(7));
        let worked_off = std::iter::from_fn(|| desk.works_off_one());
        let mut of_labels = worked_off.filter(|leased| leased.key.contains(":label"));
        let first = of_labels.next().map(|leased| (leased.key, leased.only_looks));
        assert_eq!(first, Some((LABEL.to_owned(), true)), "{mood:?}");
    }
}

#[test]
fn what_is_wanted_again_is_no_longer_only_looked_up() {
    let mut desk = leased();
    desk.forge.mood = Mood::LosesChange;
    assert_eq!(desk.works_off_one().unwrap().key, LABEL);
    desk.forge.mood = Mood::Fine;
    for (command, is_wanted) in [("ralph:cmd:pause", false), ("ralph:cmd:queue", true)] {
        desk.forge.labels(&key(7), command);
        desk.later(Span::from_secs(10));
        desk.hears_of(&key(7));
        assert_eq!(desk.row(LABEL).is_wanted, is_wanted, "after {command}");
    }
    assert_eq!(desk.row(LABEL).tries, 1, "it still has to be looked up");
}

#[test]
fn twelve_tries_without_an_answer_count_as_refused() {
    let mut desk = leased();
    desk.forge.mood = Mood::LosesChange;
    let mut pauses = Vec::new();
    while pauses.len() < 20 {
        let leased = desk.claims().unwrap();
        if leased.key != LABEL {
            continue;
        }
        let performed = desk.performs(&leased);
        desk.settles(leased.id, performed);
        let Some(row) = desk.outbox().into_iter().find(|row| row.key == LABEL) else { break };
        let pause = row.due.since(desk.now);
        pauses.push(pause.0 / 1_000);
        desk.now = desk.now.plus(pause);
    }
    assert_eq!(pauses, [60, 120, 240, 480, 600, 600, 600, 600, 600, 600, 600]);
    assert_eq!(desk.forge.asked.len(), 12);
    let journal = desk.engine().store().unwrap().journal_after(0).unwrap();
    let What::Settled(Settled::LabelRefused { reason, .. }) = &journal.last().unwrap().fact.what
    else {
        panic!("{journal:#?}")
    };
    assert_eq!(reason, "no answer after 12 tries: no answer");
}

#[test]
fn a_refusal_is_told_and_the_row_is_gone() {
    let mut desk = leased();
    let leased = desk.claims().unwrap();
    desk.settles(leased.id, Performed::declined("label is too long".to_owned()));
    assert_eq!(desk.keys(), ["acme/widgets#7:start:1"]);
    let story = desk.reader().explain(&key(7)).unwrap().unwrap().story;
    let told = "label ralph:status:in-progress refused: label is too long";
    assert_eq!(story.last().unwrap().says, told);
}

#[test]
fn the_next_time_is_when_the_earliest_row_may_be_claimed() {
    let mut desk = Desk::new();
    escalated(&mut desk, &key(7));
    desk.forge.mood = Mood::LosesChange;
    desk.works_off_one().unwrap();
    assert_eq!(desk.engine().next_alarm(), Some(desk.row(COMMENT).due));
    assert!(desk.engine().next_time().unwrap() <= desk.row(COMMENT).due);
    assert_ne!(desk.row(COMMENT).due, Time::default());
}
