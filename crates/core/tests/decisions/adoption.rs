//! Issues with a label of ours that the store knows nothing of.

use crate::outside::QUEUED;
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::time::Span;
use std::fmt::Write as _;

/// What becomes of an unknown issue with each of these sets of labels.
fn table(sets: &[&str]) -> String {
    let mut table = String::new();
    for labels in sets {
        let mut story = Story::plain();
        story.policy.draining = true;
        let names: Vec<_> = labels.split(' ').collect();
        story.sees(7, &names);
        let stands = story.stands(7);
        story.settles();
        let told = story.told().replace("#7 ", "").replace("> ", "").replace('\n', ", ");
        let told = if told.is_empty() { "nothing".to_owned() } else { told };
        writeln!(table, "{labels}\n  {stands}\n  {told}\n  = {}", story.labels(7)).expect("text");
    }
    table
}

#[test]
fn every_status_label_is_adopted_as_decided() {
    let sets = [
        "ralph:status:in-progress",
        "ralph:status:paused",
        "ralph:status:escalated",
        "ralph:status:in-bot",
        "ralph:status:done",
        "ralph:status:stopped",
    ];
    assert_snapshot!(table(&sets), @"
    ralph:status:in-progress
      queued: next in line, waits for a free worker
      taken over as in-progress, comment:adopted, label+ralph:status:queued, label-ralph:status:in-progress
      = ralph:status:queued
    ralph:status:paused
      paused: paused
      taken over as paused
      = ralph:status:paused
    ralph:status:escalated
      escalated: needs a person: The issue carries the escalated label from before.
      taken over as escalated, comment:escalation-1
      = ralph:status:escalated
    ralph:status:in-bot
      escalated: needs a person: The label says merged, but nothing here proves it.
      taken over as in-bot, comment:escalation-1, label+ralph:status:escalated, label-ralph:status:in-bot
      = ralph:status:escalated
    ralph:status:done
      escalated: needs a person: The label says merged, but nothing here proves it.
      taken over as done, comment:escalation-1, label+ralph:status:escalated, label-ralph:status:done
      = ralph:status:escalated
    ralph:status:stopped
      stopped: stopped before this record began
      taken over as stopped
      = ralph:status:stopped
    ");
}

#[test]
fn legacy_names_are_migrated_and_of_several_the_first_in_rank_counts() {
    let sets = [
        "ralph:in-progress",
        "ralph:in-bot",
        "ralph:done",
        "ralph:escalated",
        "ralph:blocked",
        "ralph:status:paused ralph:queued",
        "ralph:status:stopped ralph:status:escalated",
        "ralph:priority:p0 bug",
    ];
    assert_snapshot!(table(&sets), @"
    ralph:in-progress
      queued: next in line, waits for a free worker
      taken over as in-progress, comment:adopted, label+ralph:status:queued, label-ralph:in-progress
      = ralph:status:queued
    ralph:in-bot
      escalated: needs a person: The label says merged, but nothing here proves it.
      taken over as in-bot, comment:escalation-1, label+ralph:status:escalated, label-ralph:in-bot
      = ralph:status:escalated
    ralph:done
      escalated: needs a person: The label says merged, but nothing here proves it.
      taken over as done, comment:escalation-1, label+ralph:status:escalated, label-ralph:done
      = ralph:status:escalated
    ralph:escalated
      escalated: needs a person: The issue carries the escalated label from before.
      taken over as escalated, comment:escalation-1, label+ralph:status:escalated, label-ralph:escalated
      = ralph:status:escalated
    ralph:blocked
      escalated: needs a person: The issue carries the escalated label from before.
      taken over as escalated, comment:escalation-1, label+ralph:status:escalated, label-ralph:blocked
      = ralph:status:escalated
    ralph:status:paused ralph:queued
      paused: paused
      taken over as paused, label-ralph:queued
      = ralph:status:paused
    ralph:status:stopped ralph:status:escalated
      stopped: stopped before this record began
      taken over as stopped, label-ralph:status:escalated
      = ralph:status:stopped
    ralph:priority:p0 bug
      no status
      nothing
      = bug ralph:priority:p0
    ");
}

#[test]
fn a_queued_label_is_a_wish_until_its_author_is_known() {
    for label in [QUEUED, "ralph:queued", "Ralph:Status:Queued"] {
        let mut story = Story::plain();
        story.sees(7, &[label]);
        assert_eq!((story.wants(7), story.stands(7)), (String::new(), "no status".to_owned()));
        assert_eq!(story.decision(7).watch.len(), 1, "label events are to be read");
    }
}

#[test]
fn a_queued_label_that_no_event_explains_was_ralphs_own() {
    let mut story = Story::plain();
    story.sees(7, &[QUEUED]);
    story.reads_events(7, Vec::new());
    assert_eq!(story.stands(7), "no status: not in the queue");
    story.passes(Span::from_mins(1));
    story.reads_events(7, Vec::new());
    assert_eq!(story.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_closed_issue_and_a_foreign_repository_are_left_alone() {
    let mut story = Story::plain();
    story.sees_issue(7, |seen| {
        seen.open = false;
        seen.labels = ["ralph:status:in-progress".into()].into();
    });
    story.sees(("acme/other", 7), &["ralph:status:in-progress"]);
    assert_eq!(story.told(), "");
    assert!(story.issue(7).managed.is_none());
    assert!(story.issue(("acme/other", 7)).managed.is_none());
}

#[test]
fn an_issue_in_progress_is_taken_up_with_one_comment() {
    let mut story = Story::plain();
    story.sees(7, &["ralph:status:in-progress"]);
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 taken over as in-progress
    #7 > comment:adopted
    #7 > label+ralph:status:queued
    #7 claimed
    #7 attempt 1 of this issue: workspace
    #7 > start:1
    ");
}
