//! The removal of a command's label, and the meaning of a person removing or re-adding it meanwhile.

use crate::commands::situation;
use crate::story::{Story, Which as _};
use ralph_core::command::Command;
use ralph_core::time::Span;
use ralph_core::watch::{Pace, Resource, Watch};

/// True if the label events are read at the fastest pace.
fn reads_events_soon(story: &Story) -> bool {
    let events = Watch { resource: Resource::Commands(7.key()), pace: Pace::Soon };
    story.decision(7).watch.contains(&events)
}

#[test]
fn a_command_label_goes_only_after_the_answer_and_the_resulting_status() {
    let mut story = situation("stopped");
    story.policy.draining = true;
    story.labelled(7, Command::Queue);
    assert_eq!(story.wants(7), "comment-edit:4 label+ralph:status:queued");
    story.performs("label+");
    assert_eq!(story.wants(7), "comment-edit:4 label-ralph:status:stopped");
    story.performs("label-");
    assert_eq!(story.wants(7), "comment-edit:4", "not before the answer is written");
    story.performs("comment-edit");
    assert_eq!(story.wants(7), "label-ralph:cmd:queue");
}

#[test]
fn after_a_command_label_went_the_events_are_read_once_more() {
    let mut story = situation("queued");
    story.labelled(7, Command::Satisfy);
    story.settles();
    assert!(story.managed(7).commands.reread_after.is_some());
    story.reads_events(7, Vec::new());
    assert!(story.managed(7).commands.reread_after.is_some(), "too early to show a new one");
    story.passes(Span::from_mins(1));
    story.reads_events(7, Vec::new());
    assert_eq!(story.managed(7).commands.reread_after, None);
}

#[test]
fn a_queued_issue_that_may_have_been_queued_once_more_is_read_when_it_is_claimed() {
    let mut story = situation("stopped");
    story.policy.draining = true;
    story.labelled(7, Command::Queue);
    story.settles();
    story.passes(Span::from_mins(1));
    assert!(story.managed(7).commands.reread_after.is_some());
    assert!(!reads_events_soon(&story), "whatever it is, it is queued");
    story.policy.draining = false;
    story.looks_at_everything();
    assert!(reads_events_soon(&story));
}

#[test]
fn a_command_label_that_a_person_takes_away_is_not_waited_for_and_counts_when_applied_anew() {
    let mut story = situation("stopped");
    story.policy.draining = true;
    story.labelled(7, Command::Queue);
    assert!(story.managed(7).commands.clearing.contains_key(&Command::Queue));
    story.passes(Span::from_mins(1));
    story.sees(7, &["ralph:status:stopped"]);
    assert!(story.managed(7).commands.clearing.is_empty(), "there is nothing to take away");
    story.told();
    story.settles();
    assert!(!story.told().contains("label-ralph:cmd:queue"));

    story.passes(Span::from_mins(2));
    assert!(!reads_events_soon(&story));
    story.sees(7, &["ralph:status:queued", "ralph:cmd:queue"]);
    assert!(reads_events_soon(&story), "{:?}", story.decision(7).watch);
    assert_eq!(story.wants(7), "", "nobody has obeyed it yet");
}

#[test]
fn a_command_label_applied_within_a_minute_of_its_removal_is_obeyed_and_goes_again() {
    let mut story = situation("at work");
    story.labelled(7, Command::Pause);
    story.settles();
    story.ordered(7, Command::Queue);
    story.settles();
    assert_eq!(story.labels(7), "ralph:status:in-progress");

    story.passes(Span::from_secs(20));
    story.labelled(7, Command::Pause);
    assert!(story.managed(7).is_paused);
    story.told();
    story.settles();
    let told = story.told();
    assert!(told.contains("> label-ralph:cmd:pause"), "{told}");
    assert_eq!(story.labels(7), "ralph:status:paused");
}
