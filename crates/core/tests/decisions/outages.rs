//! An agents' program that fails for everybody: nothing new starts, one turn at a time is tried after growing pauses,
//! and no issue is blamed for it.

use crate::outside::planned;
use crate::story::{Story, Which as _};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::Outcome;
use ralph_core::issue::Phase;
use ralph_core::steps::Step;
use ralph_core::time::Span;

fn fails() -> Outcome {
    Outcome::AgentFailed { reason: "exit status 127\nclaud: not found".to_owned() }
}

/// Three issues at their plans, and a fourth in line. One try of a plan is all that a run has.
fn at_plans() -> Story {
    let mut story = Story::with(|rules| {
        rules.slots = 3;
        rules.limits.bounds.set(Bound::Step(Step::Plan), 1);
    });
    for number in [1, 2, 3, 4] {
        story.queued(number);
    }
    for number in [1, 2, 3] {
        story.reaches(number, Step::Plan);
    }
    story
}

/// The program breaks: whatever is under way fails, and what was started before the third failure as well.
fn break_down(story: &mut Story) {
    for number in [1, 2, 3] {
        story.ends(number, fails());
    }
    assert_eq!(at_work(story), [1, 2], "begun before it was an outage");
    for number in [1, 2] {
        story.ends(number, fails());
    }
}

fn at_work(story: &Story) -> Vec<u64> {
    let works = |number: &u64| story.managed(*number).work.is_some();
    [1, 2, 3, 4].into_iter().filter(works).collect()
}

#[test]
fn three_failures_in_a_row_stop_all_new_work_and_blame_no_issue() {
    let mut story = at_plans();
    break_down(&mut story);
    assert_eq!(at_work(&story), [0; 0]);
    for number in [1, 2, 3] {
        assert_eq!(story.managed(number).phase, Phase::Running { step: Step::Plan });
        let spent = &story.run(number).spent;
        assert_eq!(
            (spent.of(Bound::Step(Step::Plan)), spent.of(Bound::AGENT_FAILURES)),
            (0, 0),
            "no try is spent by it"
        );
    }
    assert_eq!(story.managed(4).phase, Phase::Queued);
    let outage = story.world.outage().expect("an outage");
    assert_eq!((outage.failures, outage.issues.len()), (5, 3));
    assert!(outage.reason.contains("claud: not found"));
}

#[test]
fn one_turn_at_a_time_is_tried_after_growing_pauses() {
    let mut story = at_plans();
    break_down(&mut story);
    for minutes in [4, 8, 16, 30, 30] {
        story.passes(Span(Span::from_mins(minutes).0 - 2_000));
        assert_eq!(at_work(&story), [0; 0], "before {minutes} minutes are over");
        story.passes(Span::from_secs(2));
        let tried = at_work(&story);
        assert_eq!(tried.len(), 1, "after {minutes} minutes");
        story.ends(tried[0], fails());
        assert_eq!(story.managed(tried[0]).phase, Phase::Running { step: Step::Plan });
    }
}

#[test]
fn a_turn_that_works_ends_it_for_all() {
    let mut story = at_plans();
    break_down(&mut story);
    story.passes(Span::from_mins(4));
    let tried = at_work(&story);
    story.ends(tried[0], planned("a plan"));
    assert_eq!(story.world.outage(), None);
    assert_eq!(at_work(&story).len(), 3);
}

#[test]
fn a_person_who_asks_for_work_has_it_tried_at_once() {
    let mut story = at_plans();
    break_down(&mut story);
    story.passes(Span::from_secs(5));
    story.ordered(2, Command::Queue);
    assert_eq!(at_work(&story).len(), 1);
}

#[test]
fn an_issue_whose_turns_fail_while_those_of_others_work_is_for_a_person() {
    let mut story = at_plans();
    story.ends(2, fails());
    story.ends(1, fails());
    story.finishes(3, planned("a plan"));
    story.reaches(1, Step::Plan);
    story.ends(1, fails());
    story.finishes(2, planned("another plan"));
    assert_eq!(story.world.outage(), None);
    story.reaches(1, Step::Plan);
    story.ends(1, fails());
    let Phase::Escalated { .. } = story.managed(1).phase else {
        panic!("{}", story.stands(1.key()));
    };
    assert!(matches!(story.managed(4).phase, Phase::Queued | Phase::Running { .. }));
}
