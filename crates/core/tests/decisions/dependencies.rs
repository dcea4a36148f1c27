//! Blockers of an issue, from every source, and the effect of their coming and going.

use crate::outside::add_repo;
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::Observation;
use ralph_core::gate::Gate;
use ralph_core::issue::{Native, Slot};
use ralph_core::steps::Step;
use ralph_core::time::Span;

fn story() -> Story {
    let mut story = Story::plain();
    story.sees(3, &[]);
    story
}

#[test]
fn an_open_blocker_from_any_source_blocks() {
    let blocked = "queued: blocked by #3";
    let mut by_body = story();
    by_body.blocks_in_body(7, &["acme/app#3"]);
    by_body.queued(7);
    assert_eq!(by_body.stands(7), blocked);

    let mut by_native = story();
    by_native.reads_native(7, &[3], &[]);
    by_native.queued(7);
    assert_eq!(by_native.stands(7), blocked);

    let mut by_child = story();
    by_child.reads_native(7, &[], &[3]);
    by_child.queued(7);
    assert_eq!(by_child.stands(7), blocked);

    let mut by_one_of_two = story();
    by_one_of_two.sees_issue(4, |seen| seen.open = false);
    by_one_of_two.blocks_in_body(7, &["acme/app#4"]);
    by_one_of_two.reads_native(7, &[3], &[]);
    by_one_of_two.queued(7);
    assert_eq!(by_one_of_two.stands(7), blocked, "blocked wins");
}

#[test]
fn a_child_is_not_blocked_by_its_parent() {
    let mut story = story();
    story.reads_native(3, &[], &[7]);
    story.queued(7);
    assert_eq!(story.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_tick_resolves_that_edge_only() {
    let mut ticked = story();
    ticked.blocks_in_body(7, &["acme/app#3x"]);
    ticked.queued(7);
    assert_eq!(ticked.stands(7), "in-progress: starting workspace");

    let mut also_native = story();
    also_native.blocks_in_body(7, &["acme/app#3x"]);
    also_native.reads_native(7, &[3], &[]);
    also_native.queued(7);
    assert_eq!(also_native.stands(7), "queued: blocked by #3");
}

#[test]
fn a_closed_or_satisfied_blocker_frees_every_kind_of_edge() {
    for is_child in [false, true] {
        for is_closed in [false, true] {
            let mut story = story();
            let (plain, children): (&[u64], &[u64]) =
                if is_child { (&[], &[3]) } else { (&[3], &[]) };
            story.reads_native(7, plain, children);
            story.queued(7);
            story.settles();
            story.told();
            if is_closed {
                story.sees_issue(3, |seen| seen.open = false);
            } else {
                story.ordered(3, Command::Satisfy);
            }
            let told = story.told();
            assert!(told.contains("#7 nothing blocks it now\n#7 claimed"), "{told}");
        }
    }
}

#[test]
fn in_bot_frees_a_plain_edge_in_the_same_repository_and_no_child() {
    let mut story = story();
    story.queued(3);
    story.reads_native(7, &[3], &[]);
    story.reads_native(8, &[], &[3]);
    story.queued(7);
    story.queued(8);
    story.merges(3);
    assert!(story.stands(7).starts_with("in-progress"), "{}", story.stands(7));
    assert_eq!(story.stands(8), "queued: blocked by #3");
}

#[test]
fn in_bot_elsewhere_frees_nothing() {
    let mut story = Story::plain();
    add_repo(&mut story, "acme/lib");
    story.queued(("acme/lib", 3));
    story.blocks_in_body(7, &["acme/lib#3"]);
    story.queued(7);
    assert_eq!(story.stands(7), "queued: blocked by acme/lib#3");
    story.merges(("acme/lib", 3));
    assert_eq!(
        story.stands(("acme/lib", 3)),
        "in-bot: in the bot branch, waits for the next rollup"
    );
    assert_eq!(story.stands(7), "queued: blocked by acme/lib#3");
    story.sees_issue(("acme/lib", 3), |seen| seen.open = false);
    assert!(story.stands(7).starts_with("in-progress"), "{}", story.stands(7));
}

#[test]
fn an_unknown_blocker_keeps_from_claiming_and_is_to_be_read() {
    let mut story = Story::plain();
    story.blocks_in_body(7, &["acme/lib#3"]);
    story.queued(7);
    assert_eq!(story.stands(7), "queued: refers to acme/lib#3, not read yet");
    let watch = format!("{:?}", story.decision(7).watch);
    assert!(watch.contains("Issue(acme/lib#3), pace: Normal"), "{watch}");
}

#[test]
fn an_unknown_blocker_parks_nothing_that_runs() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Checks);
    story.told();
    story.blocks_in_body(7, &["acme/lib#3"]);
    assert_eq!(story.told(), "");
}

#[test]
fn native_relations_that_were_never_read_keep_from_claiming_until_they_are() {
    let mut story = Story::plain();
    story.sees_issue(7, |seen| seen.has_relations = true);
    story.queued(7);
    assert_eq!(story.stands(7), "queued: its dependencies could not be read yet");
    story.reads_native(7, &[], &[]);
    assert_eq!(story.stands(7), "in-progress: starting workspace");

    let mut story = Story::plain();
    story.sees_issue(7, |seen| seen.has_relations = true);
    story.queued(7);
    story.reads(7, Observation::Native(Native::Unavailable));
    assert_eq!(story.stands(7), "in-progress: starting workspace", "then the body decides");
}

#[test]
fn what_it_waits_for_and_gets_no_answer_to_is_put_to_a_person_in_the_end() {
    for (is_native, told) in
        [(true, "its native dependencies and sub-issues"), (false, "issues that it waits for")]
    {
        let mut story = Story::plain();
        if is_native {
            story.sees_issue(7, |seen| seen.has_relations = true);
        } else {
            story.blocks_in_body(7, &["acme/lib#3"]);
        }
        story.queued(7);
        story.passes(Span(Span::from_mins(180).0 - 1));
        assert!(story.stands(7).starts_with("queued: "), "{}", story.stands(7));
        story.passes(Span(1));
        let asked = format!("escalated: needs a person: Ralph cannot read {told} on the forge.");
        assert_eq!(story.stands(7), asked);
        story.settles();
        story.ordered(7, Command::Queue);
        story.passes(Span::from_mins(100));
        assert!(story.stands(7).starts_with("queued: "), "from the start: {}", story.stands(7));
        story.sees_issue(7, |seen| {
            seen.has_relations = false;
            seen.blocked_by.clear();
        });
        assert_eq!(story.stands(7), "in-progress: starting workspace");
    }
}

#[test]
fn an_older_native_list_does_not_undo_a_newer_one() {
    let mut story = story();
    let now = story.now;
    story.reads_native(7, &[3], &[]);
    let older = Native::Read {
        blocked_by: std::collections::BTreeSet::new(),
        children: std::collections::BTreeSet::new(),
        at: now.minus(Span::from_secs(1)),
        unread: None,
    };
    story.queued(7);
    story.reads(7, Observation::Native(older));
    assert_eq!(story.stands(7), "queued: blocked by #3");
}

#[test]
fn a_late_blocker_parks_at_the_next_checkpoint_and_the_same_run_resumes() {
    let mut story = story();
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.told();
    story.blocks_in_body(7, &["acme/app#3"]);
    assert_eq!(story.told(), "", "a turn under way may finish");
    story.finishes(7, story.success(7, Step::Plan));
    assert_eq!(story.stands(7), "queued: blocked by #3");
    assert_eq!(story.labels(7), "ralph:status:queued");
    story.sees_issue(3, |seen| seen.open = false);
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 parked at plan: a blocker appeared
    #7 blocked by acme/app#3
    #7 > label+ralph:status:queued
    #7 > label-ralph:status:in-progress
    #7 nothing blocks it now
    #7 resumed
    #7 next step: plan review
    #7 > label+ralph:status:in-progress
    #7 attempt 3 of this issue: plan review
    #7 > start:3
    #7 > label-ralph:status:queued
    ");
    assert_eq!(story.run(7).id.run, 1);
}

#[test]
fn a_parked_issue_holds_no_claim_and_no_slot() {
    let mut story = Story::with(|rules| rules.claims_max = 1);
    story.sees(3, &[]);
    story.queued(7);
    story.reaches(7, Step::Checks);
    story.queued(8);
    assert_eq!(story.stands(8), "queued: next in line, waits for a free worker");
    story.blocks_in_body(7, &["acme/app#3"]);
    assert!(story.stands(8).starts_with("in-progress"), "{}", story.stands(8));
}

#[test]
fn unblocking_requeues_only_what_dependencies_had_blocked() {
    let mut story = story();
    for number in [4, 5, 6] {
        story.reads_native(number, &[3], &[]);
        story.queued(number);
    }
    story.ordered(5, Command::Pause);
    story.ordered(6, Command::Stop);
    story.settles();
    story.told();
    story.sees_issue(3, |seen| seen.open = false);
    assert_snapshot!(story.told(), @"
    #4 nothing blocks it now
    #5 nothing blocks it now
    #4 claimed
    #4 > label+ralph:status:in-progress
    #4 attempt 1 of this issue: workspace
    #4 > start:1
    ");
    assert_eq!(story.stands(5), "paused: paused");
    assert_eq!(story.stands(6), "stopped: stopped by command");
}

/// The forge says that there is no such issue, and again after reads had time to catch up.
fn is_gone(story: &mut Story, number: u64) {
    story.reads(number, Observation::Gone);
    story.passes(Span::from_secs(60));
    story.reads(number, Observation::Gone);
}

#[test]
fn a_reference_to_an_issue_that_does_not_exist_blocks_and_says_what_to_do() {
    let mut story = Story::plain();
    story.blocks_in_body(7, &["acme/app#99"]);
    story.queued(7);
    assert_eq!(story.stands(7), "queued: refers to #99, not read yet");
    story.reads(99, Observation::Gone);
    assert_snapshot!(story.stands(7), @"queued: refers to #99, which does not exist: remove or tick that line of the issue, or give the command `satisfy` for it");
    let mut ticked = story.clone();
    ticked.blocks_in_body(7, &["acme/app#99x"]);
    assert_eq!(ticked.stands(7), "in-progress: starting workspace");
    let mut satisfied = story.clone();
    satisfied.ordered(99, Command::Satisfy);
    assert_eq!(satisfied.stands(7), "in-progress: starting workspace");
    story.sees(99, &[]);
    assert_eq!(story.stands(7), "queued: blocked by #99", "it was opened since");
}

#[test]
fn a_reference_to_what_does_not_exist_is_put_to_a_person_in_the_end() {
    let mut story = Story::plain();
    story.blocks_in_body(7, &["acme/app#99"]);
    story.queued(7);
    story.passes(Span::from_mins(60));
    is_gone(&mut story, 99);
    assert!(story.stands(7).starts_with("queued: refers to #99, which"), "{}", story.stands(7));
    story.passes(Span(Span::from_mins(119).0 - 1));
    assert!(story.stands(7).starts_with("queued: refers to #99, which"), "{}", story.stands(7));
    story.passes(Span(1));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: It waits for issues that do not exist, or that Ralph may not read: #99.");
    let told = story.wanted_comment(&Slot::Escalation { episode: 1 }).unwrap_or_default();
    assert!(told.contains("correct or remove each such line"), "{told}");
    assert!(!told.contains("permission"), "{told}");
    story.settles();
    story.ordered(7, Command::Queue);
    story.passes(Span::from_mins(179));
    assert!(story.stands(7).starts_with("queued: "), "from the start: {}", story.stands(7));
    story.blocks_in_body(7, &[]);
    assert_eq!(story.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_blocker_that_is_deleted_while_open_still_blocks_and_one_that_was_closed_does_not() {
    let mut story = Story::plain();
    story.sees(3, &[]);
    story.blocks_in_body(7, &["acme/app#3"]);
    story.queued(7);
    is_gone(&mut story, 3);
    assert!(story.stands(7).contains("#3, which does not exist"), "{}", story.stands(7));

    let mut closed = Story::plain();
    closed.sees_issue(3, |seen| seen.open = false);
    is_gone(&mut closed, 3);
    closed.blocks_in_body(7, &["acme/app#3"]);
    closed.queued(7);
    assert_eq!(closed.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_run_whose_body_comes_to_name_a_missing_issue_is_parked() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.blocks_in_body(7, &["acme/app#99"]);
    is_gone(&mut story, 99);
    story.finishes(7, story.success(7, Step::Plan));
    assert!(story.stands(7).starts_with("queued: refers to #99"), "{}", story.stands(7));
}

#[test]
fn an_issue_may_say_itself_that_others_wait_for_it() {
    let mut story = story();
    story.holds_up(3, &[7]);
    story.queued(7);
    assert_eq!(story.stands(7), "queued: blocked by #3");
    let mut closed = story.clone();
    closed.sees_issue(3, |seen| seen.open = false);
    assert_eq!(closed.stands(7), "in-progress: starting workspace");
    let mut gone = story.clone();
    is_gone(&mut gone, 3);
    assert_eq!(gone.stands(7), "in-progress: starting workspace", "its words went with it");
    story.holds_up(3, &[8]);
    assert_eq!(story.stands(7), "in-progress: starting workspace", "it says so no more");
}

#[test]
fn both_sides_may_say_so_and_each_is_heard() {
    let mut story = story();
    story.holds_up(3, &[7]);
    story.blocks_in_body(7, &["acme/app#3"]);
    story.queued(7);
    story.holds_up(3, &[]);
    assert_eq!(story.stands(7), "queued: blocked by #3");
    story.holds_up(3, &[7]);
    story.blocks_in_body(7, &[]);
    assert_eq!(story.stands(7), "queued: blocked by #3");
    story.sees_issue(3, |seen| seen.open = false);
    assert_eq!(story.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_preflight_that_is_skipped_needs_no_command() {
    for (skipped, stands) in [
        (false, "queued: set `preflight_command` for this repository ([] to skip it)"),
        (true, "in-progress: starting workspace"),
    ] {
        let mut story = Story::with(|rules| {
            rules.preflight = None;
            rules.skipped_gates.extend(skipped.then_some(Gate::Preflight));
        });
        story.queued(7);
        assert_eq!(story.stands(7), stands);
        if skipped {
            story.merges(7);
            assert!(story.stands(7).starts_with("in-bot: "), "{}", story.stands(7));
        }
    }
}
