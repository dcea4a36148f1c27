//! The consequences of an agent's answer: plans revised, verdicts asked for again, implementations sent back.

use crate::outside::{
    changed, commands_failed, failed, no_verdict, planned, turn, verdict, workspace,
};
use crate::story::{Story, Which as _};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::Answer;
use ralph_core::gate::GateStatus;
use ralph_core::job::Role;
use ralph_core::lane::Lanes;
use ralph_core::product_gap::ProductGap;
use ralph_core::routing::{Confidence, ContractSurface, Decision, Routing};
use ralph_core::steps::Step;

fn at(step: Step) -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, step);
    story.told();
    story
}

#[test]
fn a_rejected_plan_is_revised_twice_and_then_escalates() {
    let mut story = at(Step::PlanReview);
    for round in 0..3 {
        assert_eq!(story.run(7).spent.of(Bound::Step(Step::Plan)), round + 1);
        story.finishes(7, verdict(false, &format!("too vague {round}")));
        if round < 2 {
            story.finishes(7, planned(&format!("revision {round}")));
        }
    }
    assert_snapshot!(story.told(), @"
    #7 back to planning: too vague 0
    #7 next step: plan
    #7 attempt 4 of this issue: plan
    #7 > start:4
    #7 next step: plan review
    #7 attempt 5 of this issue: plan review
    #7 > start:5
    #7 back to planning: too vague 1
    #7 next step: plan
    #7 attempt 6 of this issue: plan
    #7 > start:6
    #7 next step: plan review
    #7 attempt 7 of this issue: plan review
    #7 > start:7
    #7 back to planning: too vague 2
    #7 next step: plan
    #7 escalated: No plan has passed the plan review.
    #7 > comment:escalation-1
    #7 > label+ralph:status:escalated
    #7 > label-ralph:status:in-progress
    ");
    assert_snapshot!(story.stands(7), @"escalated: needs a person: No plan has passed the plan review.");
}

#[test]
fn a_revised_plan_is_reviewed_afresh_and_told_why_the_last_one_failed() {
    let mut story = at(Step::PlanReview);
    story.ends(7, verdict(false, "too vague"));
    assert_eq!(feedback(&story).as_deref(), Some("too vague"));
    story.settles();
    story.finishes(7, planned("better"));
    assert!(story.stands(7).starts_with("in-progress: running plan review"));
}

fn feedback(story: &Story) -> Option<String> {
    story.wanted_turn().and_then(|turn| turn.feedback)
}

#[test]
fn a_missing_verdict_is_asked_for_twice_and_then_escalates() {
    for step in [Step::PlanReview, Step::ProductReview, Step::DevexReview] {
        let mut story = at(step);
        for _ in 0..2 {
            story.finishes(7, no_verdict());
            assert!(story.stands(7).starts_with(&format!("in-progress: running {step}")));
        }
        story.finishes(7, no_verdict());
        let gate = step.name().replace(' ', "_");
        let needs = format!("The reviewer of {gate} never gave a valid verdict.");
        assert_eq!(story.stands(7), format!("escalated: needs a person: {needs}"));
        assert_eq!(story.run(7).spent.of(Bound::Step(Step::ProductReview)), 0);
        let record = step.gate().and_then(|gate| story.run(7).gates.get(gate)).expect("a record");
        assert_eq!(record.status, GateStatus::Fail);
        assert!(record.reason.starts_with("missing-marker: "), "{}", record.reason);
    }
}

#[test]
fn queueing_again_gives_the_reviewer_all_its_repairs_back() {
    let mut story = at(Step::ProductReview);
    (0..3).for_each(|_| story.finishes(7, no_verdict()));
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    let judged = story.run(7).head.clone();
    story.ordered(7, Command::Queue);
    story.settles();
    story.ends(7, workspace(&story, 7, judged));
    let review = story.wanted_turn().expect("a turn");
    assert_eq!((review.role, review.is_repair), (Role::ProductReview, false));
    story.settles();
    (0..2).for_each(|_| story.finishes(7, no_verdict()));
    assert!(story.stands(7).starts_with("in-progress: running product review"));
}

#[test]
fn a_repair_asks_for_the_verdict_only_and_its_answer_counts() {
    let mut story = at(Step::ProductReview);
    story.ends(7, no_verdict());
    assert!(story.wanted_turn().is_some_and(|turn| turn.is_repair));
    story.settles();
    story.finishes(7, verdict(true, "fine"));
    assert!(story.stands(7).starts_with("in-progress: running devex review"));
}

#[test]
fn a_failed_preflight_goes_back_to_implementation_with_its_excerpt() {
    let mut story = at(Step::Preflight);
    story.ends(7, commands_failed("E0308"));
    assert_snapshot!(story.told(), @"
    #7 back to implementation: preflight: E0308
    #7 next step: implement
    #7 attempt 6 of this issue: implement
    #7 > start:6
    ");
    assert_eq!(feedback(&story).as_deref(), Some("preflight: E0308"));
}

#[test]
fn three_implementations_in_all_however_they_were_rejected() {
    let mut story = at(Step::Preflight);
    story.finishes(7, commands_failed("E0308"));
    story.finishes(7, changed("second"));
    story.finishes(7, story.success(7, Step::Preflight));
    story.finishes(7, verdict(false, "wrong button"));
    story.finishes(7, changed("third"));
    story.finishes(7, story.success(7, Step::Preflight));
    story.finishes(7, verdict(true, "fine"));
    story.finishes(7, verdict(false, "no tests"));
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Implement)), 3);
    assert!(story.stands(7).starts_with("escalated: needs a person: The implement step failed"));
}

#[test]
fn a_turn_that_changes_nothing_is_a_failed_attempt() {
    let mut story = at(Step::Implement);
    story.ends(7, turn(Answer::Unchanged));
    assert_eq!(feedback(&story).as_deref(), Some("the turn changed nothing"));
    story.settles();
    for _ in 0..2 {
        story.finishes(7, turn(Answer::Unchanged));
    }
    assert_snapshot!(story.told(), @"
    #7 attempt 5 of this issue: implement
    #7 > start:5
    #7 attempt 6 of this issue: implement
    #7 > start:6
    #7 escalated: The implement step failed as often as it may.
    #7 > comment:escalation-1
    #7 > label+ralph:status:escalated
    #7 > label-ralph:status:in-progress
    ");
    assert_snapshot!(comment(&story), @r#"
    <!-- ralph-escalation:id=7-1 -->
    @acme Ralph needs a person here.

    **The implement step failed as often as it may.**

    ```text
    the turn changed nothing
    ```

    What is missing: guidance that gets this step through

    Choices:
    - make the issue more precise and resume
    - fix the branch by hand and resume
    - stop the issue

    Recommended: read the excerpt, add what is missing to the issue, resume

    To resume, apply `ralph:cmd:queue`, or comment `RALPH RESOLVED:` with your answer (write access needed), or add `ralph:status:queued` again. To begin with a new plan on a fresh branch, comment `RALPH RESOLVED: replan`. To cancel, apply `ralph:cmd:stop`.

    <details><summary>Decision packet</summary>

    ```json
    {"missing":"guidance that gets this step through","options":["make the issue more precise and resume","fix the branch by hand and resume","stop the issue"],"questions":["What does the agent need to know?"],"recommendation":"read the excerpt, add what is missing to the issue, resume","state":"The implement step failed as often as it may."}
    ```

    </details>
    "#);
}

fn comment(story: &Story) -> String {
    let ralph_core::issue::Phase::Escalated { cause, episode } = &story.managed(7).phase else {
        panic!("not escalated: {}", story.stands(7))
    };
    let operator = ralph_core::ids::Login::new("acme");
    let untried = ralph_core::words::Tried {
        red_checks: &[],
        lanes: &Lanes::default(),
        reviews: &[],
        can_replan: true,
    };
    ralph_core::words::escalation(&7.key(), *episode, cause, &operator, &untried)
}

#[test]
fn a_turn_that_dies_is_a_failed_attempt_too() {
    let mut story = at(Step::Implement);
    story.finishes(7, failed("out of memory"));
    story.finishes(7, changed("a"));
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Implement)), 2);
    assert!(story.stands(7).starts_with("in-progress: running preflight"));
}

#[test]
fn a_planner_may_ask_for_a_person_and_low_confidence_alone_does_not() {
    let routed = |decision, confidence| Routing {
        decision,
        confidence,
        escalation_reason: Some("which colour?".to_owned()),
        contract_surface: ContractSurface::Untouched,
    };
    let gap = ProductGap::Gap("no word on colours".to_owned());
    let text = ralph_core::digest::Digest::of("plan");
    for (routing, gap, expected) in [
        (
            routed(Decision::Proceed, Confidence::Low),
            ProductGap::None,
            "in-progress: running plan review, until 2026-01-05 09:32:00Z at most",
        ),
        (
            routed(Decision::Escalate, Confidence::High),
            ProductGap::None,
            "escalated: needs a person: The planner asks for a person.",
        ),
        (
            routed(Decision::Proceed, Confidence::High),
            gap,
            "escalated: needs a person: The product documents leave a question open.",
        ),
        (
            routed(Decision::Proceed, Confidence::High),
            ProductGap::Denied,
            "in-progress: running plan review, until 2026-01-05 09:32:00Z at most",
        ),
    ] {
        let mut story = at(Step::Plan);
        story.finishes(7, turn(Answer::Plan { text, routing, gap }));
        assert_eq!(story.stands(7), expected);
    }
}

#[test]
fn a_plan_that_breaks_what_others_rely_on_needs_a_person_and_one_that_adds_to_it_does_not() {
    let text = ralph_core::digest::Digest::of("plan");
    let goes_on = "in-progress: running plan review";
    let asks = "escalated: needs a person: The plan would break something that others rely on.";
    let gap = ProductGap::Gap("no word on colours".to_owned());
    for (contract_surface, decision, gap, expected) in [
        (ContractSurface::Untouched, Decision::Proceed, ProductGap::None, goes_on),
        (ContractSurface::Additive, Decision::Proceed, ProductGap::None, goes_on),
        (ContractSurface::Breaking, Decision::Proceed, ProductGap::None, asks),
        (ContractSurface::Breaking, Decision::Proceed, ProductGap::Denied, asks),
        (ContractSurface::Breaking, Decision::Escalate, ProductGap::None, asks),
        (
            ContractSurface::Additive,
            Decision::Escalate,
            ProductGap::None,
            "escalated: needs a person: The planner asks for a person.",
        ),
        (
            ContractSurface::Breaking,
            Decision::Proceed,
            gap,
            "escalated: needs a person: The product documents leave a question open.",
        ),
    ] {
        let mut story = at(Step::Plan);
        let escalation_reason = Some("--json goes away".to_owned());
        let confidence = Confidence::High;
        let routing = Routing { decision, confidence, escalation_reason, contract_surface };
        story.finishes(7, turn(Answer::Plan { text, routing, gap }));
        assert!(story.stands(7).starts_with(expected), "{}", story.stands(7));
    }
}

#[test]
fn a_plan_review_that_finds_a_product_gap_escalates_at_once() {
    let mut story = at(Step::PlanReview);
    let gap = ProductGap::Gap("no word on colours".to_owned());
    story.finishes(
        7,
        turn(Answer::Verdict {
            pass: false,
            reason: "r".to_owned(),
            gap,
            said: None,
            excerpt: String::new(),
        }),
    );
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The product documents leave a question open.");
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Plan)), 1);
}

#[test]
fn queueing_a_parked_or_paused_issue_gives_the_repairs_back_too() {
    for is_parked in [false, true] {
        let mut story = at(Step::ProductReview);
        (0..2).for_each(|_| story.finishes(7, no_verdict()));
        if is_parked {
            story.sees(3, &[]);
            story.blocks_in_body(7, &["acme/app#3"]);
            story.finishes(7, no_verdict());
            story.ordered(7, Command::Queue);
            story.sees_issue(3, |seen| seen.open = false);
        } else {
            story.ordered(7, Command::Pause);
            story.ordered(7, Command::Queue);
            story.finishes(7, no_verdict());
        }
        story.settles();
        assert!(story.stands(7).starts_with("in-progress"), "{is_parked}: {}", story.stands(7));
    }
}

#[test]
fn a_planner_whose_plan_lacks_a_heading_is_told_and_asked_again_within_bounds() {
    let mut story = at(Step::Plan);
    let why = "the plan has no heading `Risk`".to_owned();
    let headless = || turn(Answer::no_verdict(why.clone()));
    story.finishes(7, headless());
    assert!(story.stands(7).contains("running plan"), "{}", story.stands(7));
    assert_eq!(story.run(7).feedback.as_deref(), Some(why.as_str()));
    story.finishes(7, headless());
    story.finishes(7, headless());
    let stands = story.stands(7);
    assert_eq!(
        stands, "escalated: needs a person: The plan step failed as often as it may.",
        "no review ran"
    );
}

#[test]
fn a_plan_without_headings_that_asks_for_a_person_is_that_question() {
    let mut story = at(Step::Plan);
    let plan = ralph_core::answer::plan("I cannot tell.\nPRODUCT GAP: who pays?").expect("read");
    story.finishes(7, turn(plan.answer));
    let stands = story.stands(7);
    assert_eq!(stands, "escalated: needs a person: The product documents leave a question open.");
}
