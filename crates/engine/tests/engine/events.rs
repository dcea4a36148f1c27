//! Labels on a forge that keeps no label events.

use crate::hand_forge::QUEUED;
use crate::harness::{Harness, key};
use ralph_core::issue::Phase;

#[test]
fn a_queued_label_without_an_event_is_refused_in_a_comment_and_taken_away() {
    let mut harness = Harness::new();
    harness.forge.keeps_no_events = true;
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    harness.rounds_until(|harness| harness.forge.shown(&key(7)).labels.is_empty());
    assert!(matches!(harness.managed(7).phase, Phase::Out));
    let [(_, comment)] = harness.forge.comments.as_slice() else { panic!("one comment") };
    assert!(comment.body.contains("`queue` by an unknown account was refused"), "{}", comment.body);
}
