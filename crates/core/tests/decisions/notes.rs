//! The time between a resolved escalation and the next turn of an agent: people's answers are read first.

use crate::outside::{failed, no_verdict, workspace};
use crate::story::{Story, Which};
use ralph_core::command::Command;
use ralph_core::digest::Digest;
use ralph_core::fact::Observation;
use ralph_core::fold::READ_LAG;
use ralph_core::ids::{CommentId, Login};
use ralph_core::issue::Phase;
use ralph_core::notes::Note;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use ralph_core::watch::{Pace, Resource};

impl Story {
    /// Comments are read wherever a turn waits for them, and there are none.
    pub(crate) fn reads_unread_comments(&mut self) {
        let issues = self.world.issues();
        let unread = issues.filter(|(_, issue)| {
            issue.managed.as_ref().is_some_and(|managed| managed.notes.is_unread())
        });
        for key in unread.map(|(key, _)| key.clone()).collect::<Vec<_>>() {
            let (at, notes) = (self.now, Vec::new());
            self.reads(key, Observation::Notes { at, notes });
        }
    }

    fn hears(&mut self, which: impl Which, at: Time, ids: &[u64]) {
        let note = |id: &u64| Note {
            id: CommentId(*id),
            author: Login::new("ann"),
            text: Digest::of(&id.to_string()),
        };
        let notes = ids.iter().map(note).collect();
        self.reads(which, Observation::Notes { at, notes });
    }

    fn comments_pace(&self, which: impl Which) -> Option<Pace> {
        let key = which.key();
        let wanted = Resource::Comments(key.clone());
        let watch = &self.decision(key).watch;
        watch.iter().find(|watch| watch.resource == wanted).map(|watch| watch.pace)
    }
}

/// Issue 7 was escalated at its product review, and the operator queues it again.
fn resumed() -> Story {
    let mut story = Story::plain();
    // What is read for the answers alone.
    story.policy.repos.values_mut().for_each(|rules| rules.steer_by_comment = false);
    story.queued(7);
    story.reaches(7, Step::ProductReview);
    (0..3).for_each(|_| story.finishes(7, no_verdict()));
    assert_eq!(story.comments_pace(7), Some(Pace::Normal));
    story.passes(Span::from_mins(5));
    story.ordered(7, Command::Queue);
    story
}

#[test]
fn the_workspace_is_made_at_once_and_the_first_turn_waits_for_the_answers() {
    let mut story = resumed();
    assert!(story.wants(7).contains("start:"), "{}", story.wants(7));
    assert_eq!(story.comments_pace(7), Some(Pace::Soon));
    story.performs("start:");
    story.ends(7, workspace(&story, 7, None));
    insta::assert_snapshot!(story.stands(7), @"in-progress: reads what people answered before it runs implement");
    let asked_before = story.now.minus(Span::from_mins(1));
    story.hears(7, asked_before, &[]);
    assert!(story.wanted_turn().is_none(), "that read was asked for too early");
    story.hears(7, story.now, &[31, 32]);
    let turn = story.wanted_turn().expect("a turn");
    assert_eq!(turn.notes.iter().map(|note| note.id.0).collect::<Vec<_>>(), [31, 32]);
}

#[test]
fn comments_are_read_once_more_when_reads_have_caught_up_and_then_no_more() {
    let mut story = resumed();
    story.hears(7, story.now, &[]);
    assert_eq!(story.comments_pace(7), Some(Pace::Normal));
    story.passes(READ_LAG);
    story.hears(7, story.now, &[33]);
    assert_eq!(story.comments_pace(7), None);
    assert_eq!(story.managed(7).notes.kept.len(), 1, "a late note is for the turns to come");
}

#[test]
fn after_ten_minutes_without_an_answer_of_the_forge_the_run_goes_on() {
    let mut story = resumed();
    story.performs("start:");
    story.ends(7, workspace(&story, 7, None));
    story.passes(Span::from_mins(9));
    assert!(story.wanted_turn().is_none());
    story.passes(Span::from_mins(1));
    assert!(story.wanted_turn().is_some());
    assert_eq!(story.comments_pace(7), None);
}

#[test]
fn a_stop_or_the_next_escalation_ends_the_wait() {
    let mut story = resumed();
    story.ordered(7, Command::Stop);
    assert_eq!(story.comments_pace(7), None);
    let mut story = resumed();
    story.performs("start:");
    (0..3).for_each(|_| {
        story.ends(7, failed("no disk"));
        if story.wants(7).contains("start:") {
            story.performs("start:");
        }
    });
    assert!(matches!(story.managed(7).phase, Phase::Escalated { episode: 2, .. }));
    assert_eq!(story.managed(7).notes.unheard, None);
}
