//! Labels on a forge that keeps no label events.

use crate::desk::{Desk, key};
use crate::hand_forge::QUEUED;
use ralph_core::issue::Phase;

#[test]
fn a_queued_label_without_an_event_is_refused_in_a_comment_and_taken_away() {
    let mut desk = Desk::new();
    desk.forge.keeps_no_events = true;
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    desk.rounds_until(|desk| desk.forge.shown(&key(7)).labels.is_empty());
    assert!(matches!(desk.managed(7).phase, Phase::Out));
    let [(_, comment)] = desk.forge.comments.as_slice() else { panic!("one comment") };
    assert!(comment.body.contains("`queue` by an unknown account was refused"), "{}", comment.body);
}
