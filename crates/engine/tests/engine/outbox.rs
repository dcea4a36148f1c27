//! The life of a desired effect: queued once, leased one per ordering key, put back if the result is unknown, looked up
//! before the next try, settled once.

use crate::hand_forge::{QUEUED, ReplyMode};
use crate::harness::{Harness, elsewhere, key};
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
fn escalated(harness: &mut Harness, issue: &IssueKey) {
    harness.forge.opens(issue, "Add a flag", "");
    harness.forge.labels(issue, ESCALATED);
    harness.hears_of(issue);
}

/// An issue that was queued and claimed: its process and its label are desired.
fn leased() -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    harness
}

#[test]
fn an_effect_wanted_twice_is_queued_once() {
    let mut harness = leased();
    let before = harness.outbox();
    assert_eq!(harness.keys(), [LABEL, "acme/widgets#7:start:1"]);
    let seen = harness.issue(7).seen.clone().unwrap();
    let again = ralph_core::fact::Observation::Issue(seen);
    harness.observes(vec![ralph_core::fact::Fact::of(key(7), What::Seen(again))]);
    let (now, policy) = (harness.now, crate::harness::policy());
    harness.engine().set_policy(now, policy).unwrap();
    assert_eq!(harness.outbox(), before);
    let stored = harness.look("SELECT id, key FROM outbox ORDER BY id");
    let known: Vec<_> = before.iter().map(|row| format!("{}|{}", row.id, row.key)).collect();
    assert_eq!(stored, known);
}

#[test]
fn what_nobody_wants_and_nobody_tried_is_forgotten() {
    let mut harness = leased();
    harness.forge.labels(&key(7), "ralph:cmd:stop");
    harness.later(Span::from_secs(30));
    harness.reads();
    let keys = harness.keys();
    assert!(!keys.iter().any(|key| key == LABEL || key.ends_with("start:1")), "{keys:?}");
}

#[test]
fn what_is_claimed_cannot_be_claimed_again_and_is_settled_once() {
    let mut harness = Harness::new();
    escalated(&mut harness, &key(7));
    let leased = harness.claims().unwrap();
    assert_eq!(leased.key, COMMENT);
    assert!(!leased.looks_first && !leased.only_looks);
    assert_eq!(harness.claims(), None);

    let performed = harness.performs(&leased);
    harness.settles(leased.id, performed.clone());
    let after = harness.tables();
    harness.settles(leased.id, performed);
    assert_eq!(harness.tables(), after);
    assert!(harness.keys().is_empty());
}

#[test]
fn each_lane_has_one_claim_at_a_time() {
    let mut harness = leased();
    escalated(&mut harness, &key(8));
    escalated(&mut harness, &key(10));
    escalated(&mut harness, &elsewhere(9));
    let first: Vec<_> = std::iter::from_fn(|| harness.claims()).collect();
    let lanes: BTreeSet<_> =
        first.iter().map(|leased| harness.row(&leased.key).ordering_key).collect();
    let expected =
        ["forge:acme/gears", "forge:acme/widgets", "labels:acme/widgets", "process:acme/widgets#7"];
    assert_eq!(lanes, expected.map(str::to_owned).into());
    assert_eq!(first.len(), expected.len());

    for leased in first.iter().filter(|leased| leased.key.starts_with("acme/widgets#8:")) {
        let performed = harness.performs(leased);
        harness.settles(leased.id, performed);
    }
    let next = harness.claims().unwrap();
    assert_eq!(harness.row(&next.key).ordering_key, "forge:acme/widgets");
    assert_eq!(harness.claims(), None);
}

#[test]
fn later_holds_its_lane_and_no_other() {
    let mut harness = leased();
    escalated(&mut harness, &key(8));
    escalated(&mut harness, &elsewhere(9));
    let until = harness.now.plus(Span::from_secs(90));
    harness.forge.mode = ReplyMode::Later(Some(until));
    let turned_away = harness.works_off_one().unwrap();
    assert_eq!(turned_away.key, LABEL);
    harness.forge.mode = ReplyMode::Fine;

    let held = harness.engine().held_keys();
    let held_key = OrderingKey::Labels("acme/widgets".to_owned());
    let why = harness.row(LABEL).reason;
    assert!(!why.is_empty());
    assert_eq!(held, [HeldKey { key: held_key, why, until, effects: 1 }]);
    assert_eq!((harness.row(LABEL).tries, harness.row(LABEL).due), (0, until));
    harness.works_off();
    assert_eq!(harness.keys(), [LABEL], "the others went on");
    let commented: BTreeSet<_> = harness.forge.comments.iter().map(|(on, ..)| on.clone()).collect();
    assert_eq!(commented, [key(8), elsewhere(9)].into(), "a label that waits holds no comment");

    harness.later(Span::from_secs(89));
    assert_eq!(harness.claims(), None);
    harness.later(Span::from_secs(1));
    harness.works_off();
    assert!(harness.keys().is_empty(), "{:?}", harness.keys());
    assert_eq!(harness.engine().held_keys(), []);
}

#[test]
fn later_without_a_time_waits_a_minute() {
    let mut harness = leased();
    harness.forge.mode = ReplyMode::Later(None);
    harness.works_off_one().unwrap();
    let row = harness.row(LABEL);
    assert_eq!((row.due, row.reason.as_str()), (harness.now.plus(Span::from_secs(60)), "busy"));
}

#[test]
fn what_may_have_happened_waits_a_minute_and_is_looked_up_first() {
    for (mode, asked) in [(ReplyMode::LosesAnswer, 1), (ReplyMode::LosesChange, 2)] {
        let mut harness = Harness::new();
        escalated(&mut harness, &key(7));
        harness.forge.mode = mode;
        assert_eq!(harness.works_off_one().unwrap().key, COMMENT);
        harness.forge.mode = ReplyMode::Fine;
        let row = harness.row(COMMENT);
        assert_eq!((row.tries, row.due), (1, harness.now.plus(Span::from_secs(60))));

        harness.later(Span(59_999));
        assert_eq!(harness.claims(), None);
        harness.later(Span(1));
        let again = harness.works_off_one().unwrap();
        assert!(again.looks_first && !again.only_looks);
        assert_eq!(harness.forge.comments.len(), 1, "{mode:?}");
        assert_eq!(harness.forge.asked.len(), asked, "{mode:?}");
        let known = harness.managed(7).comments.values().next().unwrap();
        assert_eq!(known.id, Some(harness.forge.comments[0].1.id));
        assert!(harness.keys().is_empty());
    }
}

#[test]
fn what_may_have_happened_and_is_not_wanted_any_more_is_only_looked_up() {
    for (mode, left) in [(ReplyMode::LosesAnswer, 1), (ReplyMode::LosesChange, 0)] {
        let mut harness = Harness::new();
        escalated(&mut harness, &key(7));
        harness.forge.mode = mode;
        assert_eq!(harness.works_off_one().unwrap().key, COMMENT);
        harness.forge.mode = ReplyMode::Fine;
        harness.forge.labels(&key(7), QUEUED);
        harness.later(Span::from_secs(30));
        harness.reads();
        assert!(!harness.row(COMMENT).is_wanted);

        harness.later(Span::from_secs(30));
        let claims = std::iter::from_fn(|| harness.works_off_one());
        let looked = claims.into_iter().find(|leased| leased.key == COMMENT).unwrap();
        assert!(looked.only_looks);
        assert_eq!(harness.forge.comments.len(), left, "{mode:?}: nothing new is written");
        assert_eq!(harness.managed(7).comments.len(), left, "{mode:?}: what was found is known");
        assert!(!harness.keys().contains(&COMMENT.to_owned()));
    }
}

#[test]
fn a_label_that_may_be_there_and_is_not_wanted_any_more_is_taken_back_without_a_poll() {
    for (mode, is_left) in [(ReplyMode::LosesAnswer, true), (ReplyMode::LosesChange, false)] {
        let mut harness = leased();
        harness.forge.mode = mode;
        assert_eq!(harness.works_off_one().unwrap().key, LABEL);
        harness.forge.mode = ReplyMode::Fine;
        harness.forge.labels(&key(7), "ralph:cmd:pause");
        harness.later(Span::from_secs(10));
        harness.hears_of(&key(7));
        let in_progress = "ralph:status:in-progress";
        assert_eq!(harness.forge.shown(&key(7)).labels.contains(in_progress), is_left, "{mode:?}");
        harness.later(Span::from_secs(50));
        harness.works_off();
        assert!(!harness.forge.shown(&key(7)).labels.contains(in_progress), "{mode:?}");
        let taken_off = format!("acme/widgets#7 -{in_progress}");
        assert_eq!(harness.forge.asked.contains(&taken_off), is_left, "{:?}", harness.forge.asked);
    }
}

#[test]
fn what_became_of_a_label_is_looked_up_before_another_one_is_written() {
    for mode in [ReplyMode::LosesAnswer, ReplyMode::LosesChange] {
        let mut harness = leased();
        harness.forge.mode = mode;
        assert_eq!(harness.works_off_one().unwrap().key, LABEL);
        harness.forge.mode = ReplyMode::Fine;
        harness.forge.labels(&key(7), "ralph:cmd:pause");
        harness.later(Span::from_secs(10));
        harness.hears_of(&key(7));
        let worked_off = std::iter::from_fn(|| harness.works_off_one());
        let mut of_labels = worked_off.filter(|leased| leased.key.contains(":label"));
        let first = of_labels.next().map(|leased| (leased.key, leased.only_looks));
        assert_eq!(first, Some((LABEL.to_owned(), true)), "{mode:?}");
    }
}

#[test]
fn what_is_wanted_again_is_no_longer_only_looked_up() {
    let mut harness = leased();
    harness.forge.mode = ReplyMode::LosesChange;
    assert_eq!(harness.works_off_one().unwrap().key, LABEL);
    harness.forge.mode = ReplyMode::Fine;
    for (command, is_wanted) in [("ralph:cmd:pause", false), ("ralph:cmd:queue", true)] {
        harness.forge.labels(&key(7), command);
        harness.later(Span::from_secs(10));
        harness.hears_of(&key(7));
        assert_eq!(harness.row(LABEL).is_wanted, is_wanted, "after {command}");
    }
    assert_eq!(harness.row(LABEL).tries, 1, "it still has to be looked up");
}

#[test]
fn twelve_tries_without_an_answer_count_as_refused() {
    let mut harness = leased();
    harness.forge.mode = ReplyMode::LosesChange;
    let mut pauses = Vec::new();
    while pauses.len() < 20 {
        let leased = harness.claims().unwrap();
        if leased.key != LABEL {
            continue;
        }
        let performed = harness.performs(&leased);
        harness.settles(leased.id, performed);
        let Some(row) = harness.outbox().into_iter().find(|row| row.key == LABEL) else { break };
        let pause = row.due.since(harness.now);
        pauses.push(pause.0 / 1_000);
        harness.now = harness.now.plus(pause);
    }
    assert_eq!(pauses, [60, 120, 240, 480, 600, 600, 600, 600, 600, 600, 600]);
    assert_eq!(harness.forge.asked.len(), 12);
    let journal = harness.engine().store().unwrap().journal_after(0).unwrap();
    let What::Settled(Settled::LabelRefused { reason, .. }) = &journal.last().unwrap().fact.what
    else {
        panic!("{journal:#?}")
    };
    assert_eq!(reason, "no answer after 12 tries: no answer");
}

#[test]
fn a_refusal_is_told_and_the_row_is_gone() {
    let mut harness = leased();
    let leased = harness.claims().unwrap();
    harness.settles(leased.id, Performed::declined("label is too long".to_owned()));
    assert_eq!(harness.keys(), ["acme/widgets#7:start:1"]);
    let story = harness.reader().explain(&key(7)).unwrap().unwrap().story;
    let told = "label ralph:status:in-progress refused: label is too long";
    assert_eq!(story.last().unwrap().says, told);
}

#[test]
fn the_next_time_is_when_the_earliest_row_may_be_claimed() {
    let mut harness = Harness::new();
    escalated(&mut harness, &key(7));
    harness.forge.mode = ReplyMode::LosesChange;
    harness.works_off_one().unwrap();
    assert_eq!(harness.engine().next_alarm(), Some(harness.row(COMMENT).due));
    assert!(harness.engine().next_time().unwrap() <= harness.row(COMMENT).due);
    assert_ne!(harness.row(COMMENT).due, Time::default());
}
