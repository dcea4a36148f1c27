//! Issues with a managed label that the store knows nothing of.

use crate::outside::QUEUED;
use crate::story::{Story, Which as _};
use insta::assert_snapshot;
use ralph_core::effect::Effect;
use ralph_core::fact::Observation;
use ralph_core::ids::{PullNumber, Sha};
use ralph_core::issue::{DoneEvidence, Found};
use ralph_core::time::Span;
use ralph_core::watch::Resource;
use std::fmt::Write as _;

/// Reports the result of a search for evidence, if one is under way.
fn finds(story: &mut Story, found: Found) {
    let wanted = Resource::Evidence(7.key());
    if story.decision(7).watch.iter().any(|watch| watch.resource == wanted) {
        story.reads(7, Observation::Found(found));
    }
}

/// Returns the result for an unknown issue with each of these sets of labels.
fn table(sets: &[&str]) -> String {
    let mut table = String::new();
    for labels in sets {
        let mut story = Story::plain();
        story.policy.draining = true;
        let names: Vec<_> = labels.split(' ').collect();
        story.sees(7, &names);
        finds(&mut story, Found::Nothing);
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
fn a_label_that_says_merged_is_taken_at_its_word_only_with_something_to_show_for_it() {
    let (pull, merged) = (PullNumber(3), Sha::new("merge-7"));
    let default_head = Sha::new("main-1");
    let done = DoneEvidence::Reachable { merged: merged.clone(), default_head };
    let in_bot = Found::InBot { pull, merged };
    let mut told = String::new();
    for label in ["ralph:status:in-bot", "ralph:status:done"] {
        for found in [in_bot.clone(), Found::Done(done.clone())] {
            let mut story = Story::plain();
            story.sees(7, &[label]);
            assert!(story.issue(7).managed.is_none(), "nothing is known yet");
            finds(&mut story, found);
            story.settles();
            let stands = story.stands(7);
            writeln!(told, "{label} -> {stands} = {}", story.labels(7)).expect("text");
        }
    }
    assert_snapshot!(told, @"
    ralph:status:in-bot -> in-bot: in the bot branch, waits for the next rollup = ralph:status:in-bot
    ralph:status:in-bot -> done: done = ralph:status:done
    ralph:status:done -> in-bot: in the bot branch, waits for the next rollup = ralph:status:in-bot
    ralph:status:done -> done: done = ralph:status:done
    ");
}

#[test]
fn a_label_that_was_taken_away_meanwhile_is_looked_into_anew() {
    let mut story = Story::plain();
    story.policy.repos.clear();
    story.sees(7, &["ralph:status:done"]);
    story.reads(7, Observation::Found(Found::Nothing));
    assert_eq!(story.issue(7).found, Some(Found::Nothing));
    story.sees(7, &["bug"]);
    assert_eq!(story.issue(7).found, None);
}

#[test]
fn an_adopted_change_joins_the_next_rollup_with_its_manual_checks() {
    let mut story = Story::plain();
    story.sees_issue(7, |seen| {
        seen.labels = ["ralph:status:in-bot".into()].into();
        seen.manual_checks = vec!["Open the page".to_owned()];
    });
    let (pull, merged) = (PullNumber(3), Sha::new("merge-7"));
    finds(&mut story, Found::InBot { pull, merged });
    story.passes(Span::from_mins(5));
    assert_eq!(story.wants_of_repo("acme/app"), "rollup:0");
    let asked = |effect: &Effect| format!("{effect:?}").contains("`Open the page`");
    assert!(story.wanted().iter().any(asked));
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
fn a_command_on_a_closed_issue_is_read_so_that_it_can_be_refused() {
    let mut story = Story::plain();
    story.sees_issue(7, |seen| {
        seen.open = false;
        seen.labels = ["ralph:cmd:queue".into()].into();
    });
    assert!(story.issue(7).managed.is_none());
    let asked: Vec<_> =
        story.decision(7).watch.iter().map(|watch| watch.resource.clone()).collect();
    assert_eq!(asked, [Resource::Commands(7.key())]);
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
