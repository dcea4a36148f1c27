//! Issues that wait for each other in a circle: reported once, as soon as the last edge is there.

use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::command::Command;

#[test]
fn a_cycle_is_told_once_by_its_smallest_waiting_member() {
    let mut story = Story::plain();
    for (number, on) in [(2, 4), (4, 9), (9, 2)] {
        story.sees(number, &[]);
        story.blocks_in_body(number, &[&format!("acme/app#{on}")]);
    }
    for number in [4, 9, 2] {
        story.queued(number);
    }
    assert_snapshot!(story.stands(4), @"escalated: needs a person: These issues block each other in a circle: #4 → #9 → #2.");
    assert_eq!(story.stands(2), "queued: blocked by #4");
    assert_eq!(story.stands(9), "queued: blocked by #2");
    story.settles();
    assert_eq!(story.told().matches("escalated:").count(), 1);
}

#[test]
fn a_cycle_that_a_later_edit_closes_is_told_at_once() {
    let mut story = Story::plain();
    story.sees(9, &[]);
    story.blocks_in_body(2, &["acme/app#4"]);
    story.blocks_in_body(4, &["acme/app#9"]);
    for number in [2, 4, 9] {
        story.queued(number);
    }
    story.ordered(9, Command::Pause);
    story.settles();
    assert_eq!(story.stands(2), "queued: blocked by #4");
    story.blocks_in_body(9, &["acme/app#2"]);
    assert!(story.stands(2).starts_with("escalated"), "{}", story.stands(2));
}

/// A way to add the last edge of a circle, by name.
type Edge = (&'static str, fn(&mut Story));

#[test]
fn a_circle_that_is_closed_far_from_whoever_tells_of_it_is_told_at_once() {
    let closes: [Edge; 3] = [
        ("body", |story| story.blocks_in_body(9, &["acme/app#11", "acme/app#2"])),
        ("native", |story| story.reads_native(9, &[2], &[])),
        ("sub-issue", |story| story.reads_native(9, &[], &[2])),
    ];
    for (name, close) in closes {
        let mut story = Story::plain();
        story.sees(11, &[]);
        for (number, on) in [(2, 4), (4, 9), (9, 11)] {
            story.blocks_in_body(number, &[&format!("acme/app#{on}")]);
            story.queued(number);
        }
        assert_eq!(story.stands(9), "queued: blocked by #11", "it waits before and after");
        close(&mut story);
        assert!(story.stands(2).starts_with("escalated"), "{name}: {}", story.stands(2));
    }
}

#[test]
fn a_circle_of_both_kinds_of_words_is_told() {
    let mut story = Story::plain();
    story.sees(2, &[]);
    story.blocks_in_body(2, &["acme/app#4"]);
    story.queued(2);
    story.sees(4, &[]);
    story.queued(4);
    story.ordered(4, Command::Pause);
    story.holds_up(2, &[4]);
    assert!(story.stands(2).starts_with("escalated"), "{}", story.stands(2));
}

#[test]
fn an_issue_that_blocks_itself_is_a_cycle() {
    let mut story = Story::plain();
    story.blocks_in_body(7, &["acme/app#7"]);
    story.queued(7);
    assert_snapshot!(story.stands(7), @"escalated: needs a person: These issues block each other in a circle: #7.");
}

#[test]
fn a_long_chain_that_is_no_cycle_only_blocks() {
    let mut story = Story::plain();
    for number in 1..25 {
        story.blocks_in_body(number, &[&format!("acme/app#{}", number + 1)]);
    }
    story.sees(25, &[]);
    story.queued(1);
    assert_eq!(story.stands(1), "queued: blocked by #2");
}
