//! The session that a turn resumes: a working turn continues its session, a review begins a fresh one, and a failed
//! session is abandoned.

use crate::outside::{changed, failed, in_session, no_verdict, planned, turn, verdict, workspace};
use crate::story::{Story, Which as _};
use ralph_core::command::Command;
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, Fact, What};
use ralph_core::job::{Role, Turn};
use ralph_core::steps::Step;

const REVIEWS: [(Step, Role); 3] = [
    (Step::PlanReview, Role::PlanReview),
    (Step::ProductReview, Role::ProductReview),
    (Step::DevexReview, Role::DevexReview),
];

fn queued() -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story
}

/// Ralph dies and starts the step again, which shows the job of its process.
fn told(story: &mut Story) -> Turn {
    let attempt = story.managed(7).attempt;
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    let turn = story.wanted_turn().expect("a turn");
    story.settles();
    turn
}

/// A run that reaches this step in the session of its planner and implementer.
fn at(step: Step) -> Story {
    let mut story = queued();
    story.reaches(7, Step::Plan);
    story.finishes(7, in_session(planned("a plan"), "of-the-planner"));
    if step != Step::PlanReview {
        story.reaches(7, Step::Implement);
        story.finishes(7, in_session(changed("a"), "of-the-implementer"));
    }
    story.reaches(7, step);
    story
}

#[test]
fn a_reviewer_never_gets_the_implementers_session() {
    for (step, role) in REVIEWS {
        let mut story = at(step);
        assert!(story.run(7).session.is_some(), "there is one to be given");
        let turn = told(&mut story);
        assert_eq!((turn.role, turn.session, turn.earlier), (role, None, None));
    }
}

#[test]
fn whoever_works_on_the_change_goes_on_in_its_session() {
    let mut story = queued();
    story.reaches(7, Step::Plan);
    assert_eq!(told(&mut story).session, None);
    story.finishes(7, in_session(planned("a plan"), "s-1"));
    story.finishes(7, verdict(true, "fine"));
    assert_eq!(told(&mut story).session.as_deref(), Some("s-1"), "Ralph died, the session did not");
    story.finishes(7, in_session(turn(Answer::Unchanged), "s-2"));
    assert_eq!(told(&mut story).session.as_deref(), Some("s-2"));
    story.finishes(7, in_session(changed("a"), "s-3"));
    story.reaches(7, Step::ProductReview);
    story.finishes(7, verdict(false, "wrong button"));
    let turn = told(&mut story);
    assert_eq!((turn.role, turn.session.as_deref()), (Role::Implement, Some("s-3")));
}

#[test]
fn a_repair_sees_what_it_repairs() {
    for (step, role) in REVIEWS {
        let mut story = at(step);
        story.finishes(7, in_session(no_verdict(), "of-the-reviewer"));
        let first = Some(Digest::of("I looked, and it is good."));
        let turn = told(&mut story);
        assert_eq!((turn.role, turn.is_repair, turn.earlier), (role, true, first));
        assert_eq!(turn.session.as_deref(), Some("of-the-reviewer"));
        let (why, said) = ("two markers".to_owned(), Some(Digest::of("pass! pass!")));
        story.finishes(
            7,
            in_session(
                crate::outside::turn(Answer::NoVerdict {
                    why,
                    said,
                    excerpt: String::new(),
                    gap: ralph_core::product_gap::ProductGap::None,
                }),
                "later",
            ),
        );
        let turn = told(&mut story);
        assert_eq!((turn.earlier, turn.session.as_deref()), (first, Some("later")));
    }
}

#[test]
fn the_next_reviewer_and_a_new_head_begin_afresh() {
    let mut story = at(Step::ProductReview);
    story.finishes(7, in_session(no_verdict(), "of-the-reviewer"));
    story.finishes(7, verdict(true, "fine"));
    let turn = told(&mut story);
    assert_eq!((turn.role, turn.session, turn.earlier), (Role::DevexReview, None, None));
    story.finishes(7, in_session(no_verdict(), "of-the-other"));
    story.finishes(7, verdict(false, "no tests"));
    story.finishes(7, changed("b"));
    story.reaches(7, Step::DevexReview);
    let turn = told(&mut story);
    assert_eq!((turn.is_repair, turn.session, turn.earlier), (false, None, None));
}

#[test]
fn queueing_again_forgets_the_reviewers_session() {
    let mut story = at(Step::ProductReview);
    (0..3).for_each(|_| story.finishes(7, in_session(no_verdict(), "of-the-reviewer")));
    let judged = story.run(7).head.clone();
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, workspace(&story, 7, judged));
    let turn = told(&mut story);
    assert_eq!((turn.role, turn.session, turn.earlier), (Role::ProductReview, None, None));
}

#[test]
fn a_turn_that_failed_is_followed_by_a_fresh_session() {
    let mut story = at(Step::Preflight);
    story.finishes(7, crate::outside::commands_failed("E0308"));
    assert_eq!(told(&mut story).session.as_deref(), Some("of-the-implementer"));
    story.finishes(7, failed("exit status 1"));
    assert_eq!(told(&mut story).session, None, "what broke would only break again");
}

#[test]
fn a_repair_that_failed_is_asked_for_in_a_fresh_session_with_the_answer_in_view() {
    let mut story = at(Step::ProductReview);
    story.finishes(7, in_session(no_verdict(), "of-the-reviewer"));
    story.finishes(7, failed("exit status 1"));
    let turn = told(&mut story);
    assert_eq!((turn.is_repair, turn.session), (true, None));
    assert_eq!(turn.earlier, Some(Digest::of("I looked, and it is good.")));
}
