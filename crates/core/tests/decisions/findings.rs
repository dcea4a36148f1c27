//! Findings of reviewers reach the turns that have to deal with them, and the next review.

use crate::outside::{changed, turn, verdict};
use crate::story::{Story, Which as _};
use ralph_core::answer;
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::job::{Findings, Role, Turn};
use ralph_core::run::Run;
use ralph_core::steps::Step;
use ralph_core::time::Time;
use ralph_core::verdict::VerdictKind;
use ralph_core::words::{self, Texts};

const FOUND: &str = "1. `parse` loses the sign.\n2. The flag is not documented.";

fn review(kind: VerdictKind, status: &str) -> Outcome {
    let prefix = kind.prefix();
    let response =
        format!("{FOUND}\n{prefix} {{\"status\":\"{status}\",\"reason\":\"two findings\"}}\n");
    turn(answer::review(kind, &response).answer)
}

fn at(step: Step) -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, step);
    story
}

/// Returns the turn under way, as it would be started again.
fn turn_of(story: &mut Story) -> Turn {
    let attempt = story.managed(7).attempt;
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    let found = story.wanted_turn();
    story.settles();
    found.expect("a turn")
}

fn findings(gate: Gate) -> Vec<Findings> {
    vec![Findings { gate, text: Digest::of(FOUND) }]
}

#[test]
fn the_implementer_and_the_next_review_get_everything_that_a_review_found() {
    let mut story = at(Step::ProductReview);
    story.finishes(7, review(VerdictKind::Review, "fail"));
    let turn = turn_of(&mut story);
    assert_eq!((turn.role, &turn.findings), (Role::Implement, &findings(Gate::ProductReview)));
    let found = [(Gate::ProductReview, FOUND.to_owned())];
    let prompt =
        words::prompt(&turn, &Texts { findings: &found, ..Texts::default() }).unwrap().text;
    assert!(prompt.contains(FOUND) && prompt.contains("Deal with every point"), "{prompt}");
    story.finishes(7, changed("again"));
    story.finishes(7, story.success(7, Step::Preflight));
    let turn = turn_of(&mut story);
    assert_eq!((turn.role, &turn.findings), (Role::ProductReview, &findings(Gate::ProductReview)));
    let prompt =
        words::prompt(&turn, &Texts { findings: &found, ..Texts::default() }).unwrap().text;
    assert!(prompt.contains(FOUND) && prompt.contains("was dealt with"), "{prompt}");
    assert!(prompt.ends_with("\"reason\":\"...\"}"), "the verdict is asked for last");
    story.finishes(7, verdict(true, "fine"));
    assert_eq!(turn_of(&mut story).findings, [], "another review has found nothing yet");
}

#[test]
fn findings_stay_in_view_while_another_gate_sends_the_change_back() {
    let mut story = at(Step::ProductReview);
    story.finishes(7, review(VerdictKind::Review, "fail"));
    story.finishes(7, changed("again"));
    story.finishes(7, crate::outside::commands_failed("error: no sign"));
    let turn = turn_of(&mut story);
    assert_eq!((turn.role, turn.findings), (Role::Implement, findings(Gate::ProductReview)));
    assert!(turn.feedback.is_some_and(|told| told.contains("no sign")));
}

/// Returns the comment that asks a person.
fn asked(story: &Story) -> String {
    let wanted = story.wanted();
    let comment = wanted.iter().find_map(|effect| {
        let Effect::Issue(_, IssueAct::CreateComment { body, .. }) = effect else { return None };
        Some(body.clone())
    });
    comment.unwrap_or_else(|| panic!("no comment: {wanted:?}"))
}

#[test]
fn a_person_is_shown_what_the_reviews_found_that_no_change_has_passed() {
    let mut story = at(Step::ProductReview);
    for _ in 0..2 {
        story.finishes(7, review(VerdictKind::Review, "fail"));
        story.reaches(7, Step::ProductReview);
    }
    story.ends(7, review(VerdictKind::Review, "fail"));
    let asked = asked(&story);
    assert!(asked.contains("What the reviewer of product_review said:"), "{asked}");
    assert!(asked.contains(FOUND), "{asked}");

    let mut story = at(Step::PlanReview);
    for _ in 0..2 {
        story.finishes(7, review(VerdictKind::PlanReview, "fail"));
        story.reaches(7, Step::PlanReview);
    }
    story.ends(7, review(VerdictKind::PlanReview, "fail"));
    assert!(self::asked(&story).contains(FOUND));
}

#[test]
fn a_person_is_shown_what_a_reviewer_said_who_never_gave_a_verdict() {
    let mut story = at(Step::DevexReview);
    let said = |words: &str| turn(answer::review(VerdictKind::Review, words).answer);
    story.finishes(7, said("The usage limit is reached."));
    story.finishes(7, said("Once more: the limit."));
    story.ends(7, said("The limit!"));
    assert!(asked(&story).contains("The usage limit is reached."), "the first words count");
}

#[test]
fn the_planner_gets_what_the_plan_review_found() {
    let mut story = at(Step::PlanReview);
    story.finishes(7, review(VerdictKind::PlanReview, "fail"));
    let turn = turn_of(&mut story);
    assert_eq!((turn.role, turn.findings), (Role::Plan, findings(Gate::PlanReview)));
}

#[test]
fn what_was_said_before_a_verdict_was_asked_for_again_is_what_was_found() {
    let mut story = at(Step::ProductReview);
    let answer::ReadReview { answer, said } = answer::review(VerdictKind::Review, FOUND);
    assert!(matches!(answer, Answer::NoVerdict { .. }) && said.is_some());
    story.finishes(7, turn(answer));
    story.finishes(7, verdict(false, "two findings"));
    assert_eq!(turn_of(&mut story).findings, findings(Gate::ProductReview));
    let record = story.run(7).gates.get(Gate::ProductReview).expect("a record");
    assert_eq!(record.status, GateStatus::Fail);
}

#[test]
fn a_product_gap_of_a_review_without_a_verdict_is_heard_with_the_verdict() {
    for (last, escalates) in [("", true), ("NO PRODUCT GAP: all is clear\n", false)] {
        let mut story = at(Step::PlanReview);
        let kind = VerdictKind::PlanReview;
        story.finishes(7, turn(answer::review(kind, "PRODUCT GAP: who pays?\nIt fails.").answer));
        let prefix = kind.prefix();
        let response = format!("{last}{prefix} {{\"status\":\"fail\",\"reason\":\"a gap\"}}");
        story.finishes(7, turn(answer::review(kind, &response).answer));
        assert_eq!(story.stands(7).starts_with("escalated"), escalates, "{}", story.stands(7));
    }
}

#[test]
fn closing_words_of_a_reviewer_close_nothing() {
    let mut run = Run::next(&7.key(), "title", None, Time(0));
    let said = "This also fixes https://forge.example/acme/app/issues/2, closes #3 [skip ci]";
    let record = run.judged(Gate::DevexReview, GateStatus::Pass, said, Time(0));
    run.gates.set(Gate::DevexReview, record);
    let body = words::pull_body(&7.key(), &run, &[], run.gates.iter());
    assert!(body.starts_with("Fixes #7\n") && body.contains("This also fixes "), "{body}");
    for acted_on in ["fixes https:", "closes #3", "[skip ci]"] {
        assert!(!body.contains(acted_on), "{body}");
    }
}
