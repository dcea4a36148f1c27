//! Commands on a forge that keeps no label events: it is unknown who applied a label, or when.

use crate::outside::QUEUED;
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::Observation;
use ralph_core::issue::{CommandId, CommandVia};
use ralph_core::steps::Step;
use ralph_core::time::Span;

fn at_work() -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.passes(Span::from_mins(2));
    story
}

fn labelled(story: &mut Story, commands: &[Command]) {
    story.sees_issue(7, |seen| {
        seen.labels.extend(commands.iter().map(|command| command.label().into()));
    });
    story.reads(7, Observation::EventsUnavailable);
}

fn last_refusal(story: &Story) -> Option<String> {
    story.managed(7).commands.last.as_ref().expect("a result").refused.clone()
}

#[test]
fn stop_and_pause_hold_without_anybody_to_ask_and_their_labels_go() {
    for (command, stands) in [
        (Command::Stop, "stopped: stopped by command"),
        (Command::Pause, "paused: running plan, until 2026-01-05 09:32:00Z at most"),
    ] {
        let mut story = at_work();
        labelled(&mut story, &[command]);
        assert_eq!(last_refusal(&story), None, "{command}");
        story.settles();
        assert_eq!(story.stands(7), stands);
        assert!(!story.labels(7).contains("cmd"), "{}", story.labels(7));
    }
}

#[test]
fn stop_wins_over_pause_and_queue_beside_them_is_refused() {
    let mut story = at_work();
    labelled(&mut story, &[Command::Queue, Command::Pause, Command::Stop]);
    assert_snapshot!(last_refusal(&story).unwrap_or_default(), @"The forge does not say who applied this label, nor whether before or after others, so it is not obeyed. Say `ralph queue acme/app 7` on Ralph's machine instead.");
    story.settles();
    assert_eq!(story.stands(7), "stopped: stopped by command");
    assert!(!story.labels(7).contains("cmd"), "{}", story.labels(7));
}

#[test]
fn queue_and_satisfy_need_an_actor() {
    for command in [Command::Queue, Command::Satisfy] {
        let mut story = Story::plain();
        story.sees(7, &[]);
        labelled(&mut story, &[command]);
        assert!(last_refusal(&story).is_some(), "{command}");
        story.settles();
        assert_eq!(story.stands(7), "no status: not in the queue", "{command}");
        assert!(!story.labels(7).contains("cmd") && !story.issue(7).satisfied, "{command}");
    }
}

#[test]
fn a_queued_label_of_unknown_origin_is_refused_once_and_taken_away() {
    let mut story = Story::plain();
    story.sees(7, &[QUEUED]);
    story.reads(7, Observation::EventsUnavailable);
    assert!(last_refusal(&story).is_some());
    story.settles();
    let told = story.managed(7).commands.last.clone();
    story.passes(Span::from_secs(61));
    story.reads(7, Observation::EventsUnavailable);
    story.settles();
    assert_eq!(story.managed(7).commands.last, told, "told once");
    assert_eq!(
        (story.stands(7).as_str(), story.labels(7).as_str()),
        ("no status: not in the queue", "")
    );
}

#[test]
fn a_label_that_is_being_cleared_is_not_taken_again_and_one_applied_anew_is() {
    let mut story = at_work();
    labelled(&mut story, &[Command::Pause]);
    let first = story.managed(7).commands.last.clone();
    story.reads(7, Observation::EventsUnavailable);
    assert_eq!(story.managed(7).commands.last, first);
    story.settles();
    story.ordered(7, Command::Queue);
    story.settles();
    story.passes(Span::from_mins(2));
    labelled(&mut story, &[Command::Pause]);
    assert!(story.managed(7).is_paused);
}

#[test]
fn events_that_become_readable_later_do_not_repeat_what_was_obeyed() {
    let mut story = at_work();
    let (_, stop) = story.event(Command::Stop, CommandVia::CommandLabel, true);
    let id = CommandId { at: story.now, id: story.ids, is_local: false };
    labelled(&mut story, &[Command::Stop]);
    story.settles();
    story.passes(Span::from_mins(2));
    story.ordered(7, Command::Queue);
    story.reads_events(7, vec![(id, stop)]);
    assert!(!story.stands(7).starts_with("stopped"), "{}", story.stands(7));
}
