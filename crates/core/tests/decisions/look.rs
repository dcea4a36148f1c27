//! The issue itself is read when it is claimed and before its change is merged.

use crate::story::{Story, Which};
use ralph_core::fact::Observation;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::unread::ReadOf;

const LOOKS: &str = "in-progress: reads the issue before it goes on";

fn blind() -> Story {
    let mut story = Story::plain();
    story.is_blind = true;
    story.queued(7);
    story
}

#[test]
fn a_blocker_that_no_list_of_changes_shows_is_met_before_the_first_step() {
    let mut story = blind();
    assert_eq!(story.stands(7), LOOKS);
    assert!(!story.wants(7).contains("start"), "nothing is spent on it yet: {}", story.wants(7));
    story.sees(3, &[]);
    story.reads_native(7, &[3], &[]);
    story.reads(7, Observation::Looked { at: story.now, is_partial: false });
    assert_eq!(story.stands(7), "queued: blocked by #3");
}

#[test]
fn a_look_counts_for_the_run_that_asked_for_it() {
    let mut story = blind();
    story.reads(
        7,
        Observation::Looked { at: story.now.minus(Span::from_secs(1)), is_partial: false },
    );
    assert_eq!(story.stands(7), LOOKS);
    story.reads(7, Observation::Looked { at: story.now, is_partial: false });
    assert_eq!(story.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_forge_that_does_not_answer_holds_up_a_run_for_ten_minutes_and_one_that_refuses_asks_a_person()
{
    let mut story = blind();
    let mut refused = story.clone();
    story.passes(Span::from_mins(10));
    assert_eq!(story.stands(7), "in-progress: starting workspace");
    let why = "403: no".to_owned();
    refused.reads(7, Observation::Unread { of: ReadOf::Issue, why });
    assert!(refused.stands(7).ends_with("it cannot be read: 403: no"), "{}", refused.stands(7));
    refused.passes(Span::from_mins(10));
    assert_eq!(
        refused.stands(7),
        "escalated: needs a person: Ralph cannot read the issue on the forge."
    );
}

#[test]
fn what_is_not_there_any_longer_is_not_merged() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Checks);
    story.is_blind = true;
    story.passes(Span::from_mins(1));
    story.passes_checks(7.key());
    assert_eq!(story.stands(7), LOOKS);
    let mut gone = story.clone();
    gone.reads(7, Observation::Gone);
    let told = gone.stands(7);
    assert!(told.starts_with(LOOKS), "a replica may lag: {told}");
    assert!(
        told.contains("it cannot be read: the forge says that there is no such issue"),
        "{told}"
    );
    gone.passes(Span::from_secs(60));
    gone.reads(7, Observation::Gone);
    assert_eq!(gone.stands(7), "stopped: stopped: the issue is gone");
    story.reads(7, Observation::Looked { at: story.now, is_partial: false });
    assert!(story.wants(7).contains("merge:"), "{}", story.wants(7));
}
