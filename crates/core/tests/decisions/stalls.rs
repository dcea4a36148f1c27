//! A turn that makes no progress: nudged in its session, then begun afresh, then a person is asked. A restart forgets
//! none of it, and none of it costs a try.

use crate::outside::{changed, failed, in_session, no_verdict, planned, verdict};
use crate::story::{Story, Which as _};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::{Fact, Outcome, What};
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::lane::Lanes;
use ralph_core::stall::{Stall, Suspicion};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::words::{self, Texts};

const IDLE: Stall = Stall::Idle { limit: Span::from_mins(5) };

fn stalled(session: Option<&str>) -> Outcome {
    let seen = Stall::HungTool { name: "npm".to_owned(), limit: Span::from_mins(5) };
    Outcome::Stalled {
        seen,
        last: "> npm test".to_owned(),
        session: session.map(ToOwned::to_owned),
    }
}

/// A run at this step, whose planner and implementer had sessions.
fn at(step: Step) -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    if step == Step::Plan {
        return story;
    }
    story.finishes(7, in_session(planned("a plan"), "of-the-planner"));
    if !matches!(step, Step::PlanReview | Step::Implement) {
        story.reaches(7, Step::Implement);
        story.finishes(7, in_session(changed("a"), "of-the-implementer"));
    }
    story.reaches(7, step);
    story
}

#[test]
fn the_ladder_is_nudge_then_fresh_session_then_a_person_over_every_restart() {
    for step in [Step::Plan, Step::PlanReview, Step::Implement, Step::DevexReview] {
        let mut story = at(step);
        let spent = story.run(7).spent.clone();
        story.finishes(7, stalled(Some("s-1")));
        let nudged = story.told_again(7);
        assert_eq!(nudged.session.as_deref(), Some("s-1"), "{step}: it goes on where it was");
        assert!(nudged.stalled.is_some(), "{step}: and is told what was seen");
        story.finishes(7, stalled(Some("s-1")));
        let fresh = story.told_again(7);
        assert_eq!(fresh.session, None, "{step}: what hangs would only hang again");
        assert!(fresh.stalled.is_some());
        story.finishes(7, stalled(Some("s-2")));
        let says = format!(
            "escalated: needs a person: The agent stalled again and again, at last in the {step} step."
        );
        assert_eq!(story.stands(7), says);
        let after = story.run(7).spent.clone();
        assert_eq!(after.of(Bound::STALLS), 3);
        assert_eq!(
            (after.of(Bound::Step(Step::Plan)), after.of(Bound::Step(Step::Implement))),
            (spent.of(Bound::Step(Step::Plan)), spent.of(Bound::Step(Step::Implement)))
        );
        assert_eq!(after.of(Bound::Step(Step::ProductReview)), 0);
    }
}

#[test]
fn a_nudged_turn_says_what_was_seen_and_what_to_do_about_it() {
    let mut story = at(Step::Implement);
    story.finishes(7, stalled(Some("s-1")));
    let turn = story.told_again(7);
    let prompt = words::prompt(&turn, &Texts::default()).unwrap().text;
    let from = prompt.find("Your last turn").expect("a nudge");
    let end = prompt.find("\n## How the change").expect("the next part");
    assert_snapshot!(prompt.get(from..end).unwrap_or_default().trim_end(), @r"
    Your last turn was ended because it did not get on: hung tool: npm neither wrote, nor changed a file, nor used the processor for 5m. Do not run that again in the same way: give it a time limit, no terminal and nothing to wait for, or do without it.
    The last lines it wrote:
    ```text
    > npm test
    ```
    ");
}

#[test]
fn without_a_session_of_its_own_a_nudge_resumes_the_one_it_had() {
    let mut worker = at(Step::Preflight);
    worker.finishes(7, crate::outside::commands_failed("E0308"));
    worker.finishes(7, stalled(None));
    let turn = worker.told_again(7);
    assert_eq!(turn.session.as_deref(), Some("of-the-implementer"));
    assert!(
        turn.feedback.is_some_and(|it| it.contains("E0308")),
        "what it was to mend still counts"
    );

    let mut reviewer = at(Step::ProductReview);
    reviewer.finishes(7, stalled(None));
    assert_eq!(reviewer.told_again(7).session, None, "never the implementer's");

    let mut repair = at(Step::ProductReview);
    repair.finishes(7, in_session(no_verdict(), "of-the-reviewer"));
    repair.finishes(7, stalled(None));
    let turn = repair.told_again(7);
    assert_eq!((turn.is_repair, turn.session.as_deref()), (true, Some("of-the-reviewer")));
}

#[test]
fn a_turn_that_ends_forgets_the_stall_but_not_its_count() {
    let mut story = at(Step::PlanReview);
    story.finishes(7, stalled(Some("of-the-reviewer")));
    story.finishes(7, verdict(true, "fine"));
    let turn = story.told_again(7);
    assert_eq!((turn.stalled, turn.session.as_deref()), (None, Some("of-the-planner")));
    story.finishes(7, stalled(Some("s")));
    assert_eq!(story.told_again(7).session, None, "the second of this run begins afresh");
    story.finishes(7, failed("exit status 1"));
    assert_eq!(story.told_again(7).stalled, None);
    assert_eq!(story.run(7).spent.of(Bound::STALLS), 2);
}

#[test]
fn a_turn_that_runs_past_its_deadline_is_a_stall() {
    let mut story = at(Step::Implement);
    for stalls in 1..=3 {
        story.passes(Span::from_mins(32));
        story.performs("end:");
        let spent = story.run(7).spent.clone();
        assert_eq!((spent.of(Bound::STALLS), spent.of(Bound::Step(Step::Implement))), (stalls, 0));
        story.settles();
    }
    let Phase::Escalated { cause, .. } = &story.managed(7).phase else { panic!("escalated") };
    let tried =
        words::Tried { red_checks: &[], lanes: &Lanes::default(), reviews: &[], can_replan: true };
    let body = words::escalation(&7.key(), 1, cause, &Login::new("ann"), &tried);
    assert!(body.contains("timeout: ended after its limit of 30m"), "{body}");
}

#[test]
fn the_operator_sets_how_often_and_queueing_again_counts_anew() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::STALLS, 1));
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.finishes(7, stalled(None));
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    story.ordered(7, Command::Queue);
    story.settles();
    story.reaches(7, Step::Plan);
    assert_eq!((story.run(7).spent.of(Bound::STALLS), story.told_again(7).stalled), (0, None));
}

#[test]
fn what_may_be_about_to_stall_is_said_until_it_gets_on_again() {
    let mut story = at(Step::Implement);
    let attempt = story.managed(7).attempt;
    let since = story.now;
    let suspicion = Some(Suspicion { seen: IDLE, since });
    story.tell(&Fact::of(7.key(), What::Suspected { attempt, suspicion: suspicion.clone() }));
    assert_snapshot!(story.stands(7), @"in-progress: running implement, until 2026-01-05 09:32:00Z at most; quiet since 2026-01-05 09:00:00Z");
    story.tell(&Fact::of(7.key(), What::Suspected { attempt, suspicion: None }));
    assert!(story.stands(7).ends_with("at most"), "{}", story.stands(7));
    story.tell(&Fact::of(7.key(), What::Suspected { attempt, suspicion: suspicion.clone() }));
    story.finishes(7, changed("a"));
    let late = Fact::of(7.key(), What::Suspected { attempt, suspicion });
    story.tell(&late);
    assert!(story.stands(7).ends_with("at most"), "an older attempt: {}", story.stands(7));
}
