//! An agents' program that fails on every issue: nothing new starts, one turn at a time is tried after growing pauses,
//! and no issue is blamed.

use crate::outside::planned;
use crate::story::{Story, Which as _};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::Outcome;
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::lane::Lanes;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::turn_end::EndClass;
use ralph_core::words;

fn fails() -> Outcome {
    Outcome::AgentFailed {
        reason: "exit status 127\nclaud: not found".to_owned(),
        class: EndClass::Crashed,
    }
}

/// Three issues at their plans, and a fourth in line that may not be claimed beside them. A run has one try of a plan.
pub(crate) fn at_plans() -> Story {
    let mut story = Story::with(|rules| {
        (rules.slots, rules.claims_max) = (3, 3);
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

/// The program breaks: turns under way fail, and so do those started before the third failure.
fn break_down(story: &mut Story) {
    for number in [1, 2, 3] {
        story.ends(number, fails());
    }
    assert_eq!(at_work(story), [1, 2], "begun before it was an outage");
    for number in [1, 2] {
        story.ends(number, fails());
    }
}

pub(crate) fn at_work(story: &Story) -> Vec<u64> {
    let works = |number: &u64| {
        let issue = story.world.issue(&number.key());
        issue.and_then(|issue| issue.managed.as_ref()).is_some_and(|it| it.work.is_some())
    };
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
fn the_sentence_says_why_nothing_starts_since_when_and_what_helps() {
    let mut story = at_plans();
    break_down(&mut story);
    let outage = story.world.outage().expect("an outage");
    let says = words::outage(&outage);
    assert!(says.starts_with("nothing new starts: the agents' program failed 5 times"), "{says}");
    let (since, probe_at) = (outage.since.to_string(), outage.probe_at.to_string());
    for part in [&since, &probe_at, "claud: not found", "No issue is to blame", "`ralph queue`"] {
        assert!(says.contains(part), "{part} in {says}");
    }
    let mut alone = one_that_always_fails().world.outage().expect("an outage");
    assert!(words::outage(&alone).contains("Only acme/app#1 was tried"), "{alone:?}");
    alone.issues.push(2.key());
    assert!(!words::outage(&alone).contains("Only "), "{alone:?}");
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

/// Two issues and one slot: the agent fails whenever it works on the first.
fn one_that_always_fails() -> Story {
    let mut story = Story::with(|rules| rules.slots = 1);
    story.queued(1);
    story.queued(2);
    story.reaches(1, Step::Plan);
    for _ in 0..3 {
        story.ends(1, fails());
    }
    assert_eq!(story.world.outage().map(|outage| outage.issues), Some(vec![1.key()]));
    story
}

#[test]
fn an_issue_that_the_agent_always_fails_on_does_not_hold_up_the_others() {
    let mut story = one_that_always_fails();
    assert_eq!(story.managed(1).phase, Phase::Running { step: Step::Plan }, "it may be an outage");
    story.passes(Span::from_mins(1));
    assert_eq!(at_work(&story), [2], "another one shows what it is");
    story.reaches(2, Step::Plan);
    story.finishes(2, planned("a plan"));
    assert_eq!(story.world.outage(), None);
    let Phase::Escalated { cause, .. } = &story.managed(1).phase else {
        panic!("{}", story.stands(1.key()));
    };
    let tried =
        words::Tried { red_checks: &[], lanes: &Lanes::default(), reviews: &[], can_replan: true };
    let says = words::escalation(&1.key(), 1, cause, &Login::new("ann"), &tried);
    assert!(says.contains("What is missing: an agent that does not fail"), "{says}");
    story.reaches(2, Step::Implement);
}

#[test]
fn an_issue_that_the_agent_fails_on_is_excused_once_it_fails_on_another_too() {
    let mut story = one_that_always_fails();
    story.passes(Span::from_mins(1));
    story.reaches(2, Step::Plan);
    story.ends(2, fails());
    for number in [1, 2] {
        assert_eq!(story.managed(number).phase, Phase::Running { step: Step::Plan });
        assert_eq!(story.run(number).spent.of(Bound::AGENT_FAILURES), 0);
    }
    story.passes(Span::from_mins(2));
    assert_eq!(at_work(&story), [1], "they take turns");
    story.ends(1, fails());
    story.passes(Span::from_mins(4));
    assert_eq!(at_work(&story), [2]);
}

/// The first issue fails at its plan five times; after these of its failures the second has come to these steps.
fn fails_at_its_plan(others: [(u32, Step); 2]) -> Story {
    let mut story = Story::with(|rules| rules.slots = 2);
    story.queued(1);
    story.queued(2);
    story.reaches(2, Step::Implement);
    story.reaches(1, Step::Plan);
    for failure in 1..=5 {
        assert_eq!(
            story.managed(1).phase,
            Phase::Running { step: Step::Plan },
            "before failure {failure}"
        );
        story.ends(1, fails());
        story.passes(Span::from_mins(30));
        for (_, step) in others.iter().filter(|(after, _)| *after == failure) {
            story.reaches(2, *step);
        }
    }
    story
}

#[test]
fn an_issue_that_fails_at_a_step_of_its_own_is_for_a_person_while_other_steps_work() {
    let story = fails_at_its_plan([(1, Step::ProductReview), (3, Step::Checks)]);
    let Phase::Escalated { .. } = story.managed(1).phase else {
        panic!("{}", story.stands(1.key()));
    };
}

#[test]
fn it_is_not_blamed_as_long_as_nothing_else_was_tried_lately() {
    let story = fails_at_its_plan([(1, Step::ProductReview), (2, Step::Checks)]);
    assert_eq!(story.managed(1).phase, Phase::Running { step: Step::Plan });
}
