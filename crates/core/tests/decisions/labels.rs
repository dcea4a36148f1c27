//! The status label follows the phase: one write at a time, add before remove, and never delaying work.

use crate::commands::situation;
use crate::outside::QUEUED;
use crate::story::{Story, Which as _};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::{Fact, Settled, What};
use ralph_core::issue::{CommandVia, Phase};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::watch::{Pace, Resource, Watch};
use std::fmt::Write as _;

const MESSES: [&[&str]; 7] = [
    &[],
    &["ralph:status:done", "ralph:status:in-bot", "bug"],
    &["ralph:queued", "ralph:in-progress", "ralph:blocked"],
    &["Ralph:Status:QUEUED"],
    &["ralph:status:stopped", "ralph:status:mine", "ralph:status:"],
    &["ralph:status:in-progress", "ralph:priority:p1", "queued", "ralph:x"],
    &["ralph:status:in-progress"],
];

#[test]
fn any_mess_converges_to_exactly_one_status_and_spares_other_labels() {
    let mut table = String::new();
    for mess in MESSES {
        let mut story = Story::plain();
        story.queued(7);
        story.reaches(7, Step::Plan);
        // Reads lag behind our own writes for a while; afterwards they count.
        story.passes(Span::from_mins(2));
        story.told();
        story.sees(7, mess);
        story.settles();
        let writes = story.told().replace("#7 > label", "").replace('\n', " ");
        let writes = if writes.is_empty() { "nothing".to_owned() } else { writes };
        let mess = if mess.is_empty() { "no labels".to_owned() } else { mess.join(" ") };
        writeln!(table, "{mess}\n  {writes}\n  = {}", story.labels(7)).expect("text");
    }
    assert_snapshot!(table, @"
    no labels
      +ralph:status:in-progress
      = ralph:status:in-progress
    ralph:status:done ralph:status:in-bot bug
      +ralph:status:in-progress -ralph:status:done -ralph:status:in-bot
      = bug ralph:status:in-progress
    ralph:queued ralph:in-progress ralph:blocked
      +ralph:status:in-progress -ralph:blocked -ralph:in-progress -ralph:queued
      = ralph:status:in-progress
    Ralph:Status:QUEUED
      +ralph:status:in-progress -Ralph:Status:QUEUED
      = ralph:status:in-progress
    ralph:status:stopped ralph:status:mine ralph:status:
      +ralph:status:in-progress -ralph:status: -ralph:status:mine -ralph:status:stopped
      = ralph:status:in-progress
    ralph:status:in-progress ralph:priority:p1 queued ralph:x
      nothing
      = queued ralph:priority:p1 ralph:status:in-progress ralph:x
    ralph:status:in-progress
      nothing
      = ralph:status:in-progress
    ");
}

#[test]
fn a_status_is_added_before_the_old_one_goes_and_one_write_is_wanted_at_a_time() {
    let mut story = Story::plain();
    story.queued(7);
    assert_eq!(story.wants(7), "start:1 label+ralph:status:in-progress");
    story.performs("label+");
    assert_eq!(story.wants(7), "start:1 label-ralph:status:queued");
    story.performs("label-");
    assert_eq!(story.wants(7), "start:1");
}

#[test]
fn refused_label_writes_back_off() {
    let mut story = Story::plain();
    story.policy.draining = true;
    story.queued(7);
    story.ordered(7, Command::Stop);
    story.performs("comment");
    let mut pauses = String::new();
    for _ in 0..7 {
        assert_eq!(story.wants(7), "label+ralph:status:stopped");
        story.refuses("label+");
        assert_eq!(story.wants(7), "");
        let again = story.decision(7).again.expect("a time to try again");
        let pause = again.since(story.now);
        write!(pauses, "{pause} ").expect("text");
        story.passes(Span(pause.0 - 1));
        assert_eq!(story.wants(7), "", "too early");
        story.passes(Span(1));
    }
    assert_eq!(pauses, "1m 2m 4m 8m 16m 30m 30m ");
}

#[test]
fn a_write_of_another_label_does_not_shorten_the_pause_after_a_refusal() {
    let mut story = Story::plain();
    story.policy.draining = true;
    story.queued(7);
    story.ordered(7, Command::Stop);
    story.performs("comment");
    story.refuses("label+");
    // It was sent, and its answer is late.
    let removed = What::Settled(Settled::LabelRemoved(QUEUED.into()));
    story.tell(&Fact::of(7.key(), removed));
    assert_eq!(story.wants(7), "", "the one that was refused still waits");
    story.passes(Span::from_mins(1));
    assert_eq!(story.wants(7), "label+ralph:status:stopped");
}

#[test]
fn scheduling_never_waits_for_a_label() {
    let mut story = Story::plain();
    story.queued(7);
    for _ in 0..40 {
        let wanted = story.wanted();
        let Some(effect) = wanted.first() else { break };
        if effect.key().contains(":label") {
            story.refuses(&effect.key());
        } else {
            story.performs(&effect.key());
        }
        if let Some(work) = story.managed(7).work.clone()
            && work.state == ralph_core::run::WorkState::Underway
        {
            story.ends(7, story.success(7, work.step));
        }
    }
    assert_eq!(story.stands(7), "in-progress: waits until the forge shows the pull request");
    assert_eq!(story.labels(7), QUEUED);
    story.passes(Span::from_mins(31));
    story.settles();
    assert_eq!(story.labels(7), "ralph:status:in-progress");
}

#[test]
fn what_ralph_takes_off_while_the_issue_is_queued_again_is_nobodys_withdrawal() {
    let mut story = Story::plain();
    story.queued(7);
    story.performs(":label+ralph:status:in-progress");
    let (label, is_added) = (QUEUED.into(), false);
    let sent = What::Settled(Settled::LabelSent { label, is_added });
    story.tell(&Fact::of(7.key(), sent));
    story.policy.draining = true;
    story.ordered(7, Command::Stop);
    story.ordered(7, Command::Queue);
    story.sees(7, &[QUEUED, "ralph:status:in-progress"]);
    story.passes(Span::from_secs(10));
    story.sees(7, &["ralph:status:in-progress"]);
    assert_eq!(story.managed(7).phase, Phase::Queued, "{}", story.stands(7));
    assert!(story.wants(7).contains("label+ralph:status:queued"), "{}", story.wants(7));
}

#[test]
fn a_read_that_lags_behind_our_own_write_does_not_undo_it() {
    let mut story = Story::plain();
    story.queued(7);
    story.settles();
    story.sees(7, &[QUEUED]);
    assert_eq!(story.labels(7), "ralph:status:in-progress");
    assert_eq!(story.wants(7), "");
    story.passes(Span::from_mins(2));
    story.sees(7, &[QUEUED]);
    assert_eq!(story.wants(7), "label+ralph:status:in-progress");
}

#[test]
fn a_read_that_contradicts_our_own_write_is_repeated_once_a_lagging_replica_cannot_be_it() {
    let soon = Watch { resource: Resource::Issue(7.key()), pace: Pace::Soon };
    let reads_soon = |story: &Story| story.decision(7).watch.contains(&soon);
    let mut story = Story::plain();
    story.queued(7);
    story.settles();
    let (written, fades) = (story.now, story.now.plus(Span::from_mins(1)));
    assert!(!reads_soon(&story), "nothing contradicts it");

    story.passes(Span::from_secs(20));
    story.sees(7, &["bug", QUEUED]);
    assert_eq!(story.labels(7), "bug ralph:status:in-progress", "laid under what was written");
    assert_eq!((story.decision(7).again, reads_soon(&story)), (Some(fades), false));
    story.passes(Span(fades.since(story.now).0 - 1));
    assert!(!reads_soon(&story), "written at {written}, it may still lag");
    story.passes(Span(1));
    assert!(reads_soon(&story), "{:?}", story.decision(7).watch);

    let mut lagged = story.clone();
    lagged.sees(7, &["bug", "ralph:status:in-progress"]);
    assert_eq!((lagged.wants(7).as_str(), reads_soon(&lagged)), ("", false), "it was the replica");
    story.sees(7, &["bug", QUEUED]);
    assert_eq!(story.wants(7), "label+ralph:status:in-progress", "it was a person");
    assert!(!reads_soon(&story));
}

fn escalated() -> Story {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Workspace), 1));
    story.queued(7);
    story.reaches(7, Step::Workspace);
    story.finishes(7, crate::outside::failed("no space left"));
    story.passes(Span::from_mins(2));
    story
}

#[test]
fn a_queued_label_on_an_escalated_issue_stays_until_its_event_was_read() {
    let mut story = escalated();
    story.sees(7, &["ralph:status:escalated", QUEUED]);
    assert_eq!(story.wants(7), "");
    assert_snapshot!(format!("{:?}", story.decision(7).watch), @"[Watch { resource: Comments(acme/app#7), pace: Normal }, Watch { resource: Commands(acme/app#7), pace: Soon }]");
    // Read too early to show it: it may still be a person's.
    story.reads_events(7, Vec::new());
    assert_eq!(story.wants(7), "");
    story.passes(Span::from_mins(1));
    story.reads_events(7, Vec::new());
    assert_eq!(story.wants(7), "label-ralph:status:queued");
}

#[test]
fn a_queued_label_that_a_person_added_to_an_escalated_issue_queues_it() {
    let mut story = escalated();
    story.queued(7);
    assert_eq!(story.run(7).id.run, 2);
    story.settles();
    assert_eq!(story.labels(7), "ralph:status:in-progress");
}

#[test]
fn a_queued_label_where_nobody_waits_for_one_is_a_hand_edit_whatever_else_makes_the_events_be_read()
{
    for place in ["queued, paused", "at work, paused", "stopped", "waiting for checks", "in-bot"] {
        let mut story = situation(place);
        let before = story.stands(7);
        let events = vec![
            story.event(Command::Queue, CommandVia::QueuedLabel, true),
            story.event(Command::Satisfy, CommandVia::CommandLabel, true),
        ];
        story.reads_events(7, events);
        story.settles();
        assert_eq!(story.stands(7), before, "{place}");
        assert!(story.issue(7).satisfied, "{place}");
    }
}

#[test]
fn a_queued_label_added_without_the_right_is_taken_away_with_a_reason() {
    let mut story = Story::plain();
    story.sees(7, &[QUEUED]);
    story.passes(Span::from_mins(2));
    let event = story.event(Command::Queue, CommandVia::QueuedLabel, false);
    story.reads_events(7, vec![event]);
    assert_eq!(story.stands(7), "no status: not in the queue");
    // Until the events are read again, a person may have added it again.
    story.passes(Span::from_mins(1));
    story.reads_events(7, Vec::new());
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 command refused: `ann` may not command here: this takes at least the triage role on the repository.
    #7 > comment:command
    #7 > label-ralph:status:queued
    ");
    assert_eq!(story.labels(7), "");
}

#[test]
fn taking_the_queued_label_away_before_the_claim_takes_the_issue_out() {
    let mut story = Story::plain();
    story.policy.draining = true;
    story.queued(7);
    story.sees(7, &[QUEUED]);
    story.passes(Span::from_mins(2));
    story.told();
    story.sees(7, &["bug"]);
    assert_snapshot!(story.told(), @"#7 taken out of the queue by a person");
    assert_eq!(story.stands(7), "no status: not in the queue");
    story.policy.draining = false;
    story.looks_at_everything();
    assert_eq!((story.wants(7), story.labels(7)), (String::new(), "bug".to_owned()));
}

#[test]
fn taking_the_status_label_away_after_the_claim_is_repaired() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.passes(Span::from_mins(2));
    story.sees(7, &[]);
    assert_eq!(story.wants(7), "label+ralph:status:in-progress");
}

#[test]
fn an_issue_read_earlier_than_what_is_known_changes_nothing() {
    let mut story = Story::plain();
    story.sees(7, &["bug"]);
    let known = story.issue(7).clone();
    let mut older = known.seen.clone().expect("seen");
    older.updated = story.now.minus(Span::from_secs(1));
    older.open = false;
    older.labels.clear();
    story.reads(7, ralph_core::fact::Observation::Issue(older));
    assert_eq!(*story.issue(7), known);
}

#[test]
fn a_queued_label_never_yet_seen_is_not_missed() {
    let mut story = Story::plain();
    story.policy.draining = true;
    story.sees(7, &[]);
    story.ordered(7, Command::Queue);
    story.sees(7, &[]);
    assert_eq!(story.stands(7), "queued: next in line, waits for a free worker");
}
