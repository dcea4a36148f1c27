//! Ralph's comments: each exists once, shows the latest state, and is written again at most twice if people delete it.

use crate::outside::failed;
use crate::story::{Story, Which as _};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Fact, Settled, What};
use ralph_core::issue::Slot;
use ralph_core::steps::Step;
use ralph_core::time::Span;

fn stopped() -> Story {
    let mut story = Story::plain();
    story.policy.draining = true;
    story.queued(7);
    story.labelled(7, Command::Stop);
    story
}

/// Reports that the comment to edit no longer exists.
fn deletes(story: &mut Story, slot: Slot) {
    story.tell(&Fact::of(7.key(), What::Settled(Settled::CommentGone { slot })));
}

#[test]
fn the_one_result_comment_is_edited_for_the_next_command() {
    let mut story = stopped();
    assert!(story.wants(7).starts_with("comment:command"), "{}", story.wants(7));
    story.settles();
    story.labelled(7, Command::Queue);
    assert!(story.wants(7).starts_with("comment-edit:"), "{}", story.wants(7));
    story.settles();
    assert_eq!(story.wants(7), "");
}

#[test]
fn a_comment_the_forge_refuses_holds_nothing_up_and_is_asked_for_again_after_growing_pauses() {
    let mut story = stopped();
    assert!(story.wants(7).starts_with("comment:command"), "{}", story.wants(7));
    story.refuses("comment:command");
    assert!(!story.wants(7).contains("comment"), "{}", story.wants(7));
    story.settles();
    assert_eq!(story.labels(7), "ralph:status:stopped");
    for mins in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
        story.passes(Span::from_secs(mins * 60 - 1));
        assert_eq!(story.wants(7), "", "{mins}");
        story.passes(Span::from_secs(1));
        assert!(story.wants(7).starts_with("comment:command"), "{mins}: {}", story.wants(7));
        story.refuses("comment:command");
    }
    story.passes(Span::from_mins(60));
    story.settles();
    assert_eq!(story.wants(7), "", "it is there");
}

#[test]
fn an_escalation_that_cannot_be_told_says_so_until_it_is() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Workspace), 1));
    story.queued(7);
    story.reaches(7, Step::Workspace);
    story.ends(7, failed("no space left"));
    for (round, pause) in [1, 2, 4, 8].into_iter().enumerate() {
        assert!(story.wants(7).contains("comment:escalation-1"), "{}", story.wants(7));
        story.refuses("comment:escalation-1");
        let says = story.stands(7);
        assert!(says.contains("the forge refused") && says.contains("tried again"), "{says}");
        assert!(round > 0 || says.contains("refused once"), "{says}");
        story.settles();
        story.passes(Span::from_mins(pause));
    }
    story.settles();
    let says = story.stands(7);
    assert!(says.contains("needs a person") && !says.contains("the forge refused"), "{says}");
}

#[test]
fn a_comment_that_a_person_deletes_is_written_again_at_most_twice() {
    let mut story = stopped();
    story.settles();
    for round in 0..3 {
        story.labelled(7, if round % 2 == 0 { Command::Queue } else { Command::Stop });
        deletes(&mut story, Slot::Command);
        let is_written = story.wants(7).starts_with("comment:command");
        assert_eq!(is_written, round < 2, "{round}: {}", story.wants(7));
        story.settles();
    }
}

#[test]
fn an_escalation_is_told_once_and_not_edited_while_nothing_changes() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Workspace), 1));
    story.queued(7);
    story.reaches(7, Step::Workspace);
    story.told();
    story.finishes(7, failed("no space left"));
    assert_eq!(story.told().matches("comment").count(), 1);
    story.sees_issue(7, |seen| seen.title = "another title".into());
    assert_eq!(story.wants(7), "");
}

#[test]
fn an_escalation_mentions_the_operator_or_else_the_owner() {
    for (operator, mention) in [(None, "@acme "), (Some("Ann"), "@ann ")] {
        let mut story =
            Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Workspace), 1));
        story.policy.operator = operator.map(ralph_core::ids::Login::new);
        story.queued(7);
        story.reaches(7, Step::Workspace);
        story.ends(7, failed("no space left"));
        let body = story.wanted().into_iter().find_map(|effect| {
            let Effect::Issue(_, IssueAct::CreateComment { body, .. }) = effect else {
                return None;
            };
            Some(body)
        });
        let body = body.expect("a comment");
        assert!(body.contains(mention) && body.contains("no space left"), "{body}");
    }
}

#[test]
fn within_an_episode_the_comment_is_edited_and_the_next_episode_posts_its_own() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Workspace), 1));
    story.queued(7);
    story.reaches(7, Step::Workspace);
    story.ends(7, failed("no space left"));
    assert!(story.wants(7).contains("comment:escalation-1"), "{}", story.wants(7));
    story.settles();
    story.policy.operator = Some(ralph_core::ids::Login::new("ann"));
    story.sees_issue(7, |seen| seen.title = "another title".into());
    assert!(story.wants(7).starts_with("comment-edit:"), "{}", story.wants(7));
    story.settles();
    story.labelled(7, Command::Queue);
    story.settles();
    story.reaches(7, Step::Workspace);
    story.ends(7, failed("no space left"));
    assert!(story.wants(7).contains("comment:escalation-2 "), "{}", story.wants(7));
}
