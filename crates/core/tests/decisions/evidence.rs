//! The subject of a gate's result: a changed tree, diff, plan or commit needs a new judgement, and an unchanged one
//! needs none.

use crate::outside::{changed, failed, head, workspace};
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::gate::Gate;
use ralph_core::run::Head;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use std::fmt::Write as _;

fn passed(story: &Story) -> String {
    let run = story.run(7);
    let passed = Gate::ALL.iter().filter(|gate| run.passed(**gate)).map(|gate| gate.name());
    passed.collect::<Vec<_>>().join(" ")
}

/// A run that has passed everything up to its checks, and is then queued again; the workspace of the new run finds this
/// head.
fn again_with(found: Option<Head>) -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Implement);
    story.finishes(7, changed("a"));
    story.reaches(7, Step::Checks);
    story.reads_pull(7, |pull| pull.state = ralph_core::pull::PullState::Closed);
    story.settles();
    story.passes(Span::from_secs(1));
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, workspace(&story, 7, found));
    story
}

#[test]
fn a_result_counts_only_for_what_it_judged() {
    let mut table = String::new();
    for (what, found) in [
        ("the same commit", Some(head("a"))),
        ("a clean merge of the base", Some(Head { diff: head("a").diff, ..head("b") })),
        ("the same tree by another commit", Some(Head { commit: head("b").commit, ..head("a") })),
        ("another change", Some(head("b"))),
        ("nothing on the branch", None),
    ] {
        let story = again_with(found);
        let stands = story.stands(7);
        writeln!(table, "{what}: {}\n  {stands}", passed(&story)).expect("text");
    }
    assert_snapshot!(table, @"
    the same commit: plan_review preflight test_integrity product_review devex_review
      in-progress: waits until the forge shows the pull request
    a clean merge of the base: plan_review product_review devex_review
      in-progress: running preflight, until 2026-01-05 09:04:01Z at most
    the same tree by another commit: plan_review preflight test_integrity product_review devex_review
      in-progress: waits until the forge shows the pull request
    another change: plan_review
      in-progress: running preflight, until 2026-01-05 09:04:01Z at most
    nothing on the branch: plan_review
      in-progress: running implement, until 2026-01-05 09:32:01Z at most
    ");
}

#[test]
fn a_new_commit_after_a_rejection_is_judged_by_everything_again() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::DevexReview);
    assert_eq!(passed(&story), "plan_review preflight test_integrity product_review");
    story.finishes(7, crate::outside::verdict(false, "no tests"));
    story.finishes(7, changed("second"));
    assert_eq!(passed(&story), "plan_review");
    assert!(story.stands(7).starts_with("in-progress: running preflight"));
}

#[test]
fn only_the_operator_skips_a_gate_and_plan_review_never() {
    let mut story = Story::with(|rules| {
        rules.skipped_gates = Gate::ALL.into();
        rules.preflight = Some(Vec::new());
    });
    story.queued(7);
    story.reaches(7, Step::PlanReview);
    story.reaches(7, Step::Implement);
    story.told();
    story.finishes(7, changed("a"));
    assert_snapshot!(story.told(), @"
    #7 next step: preflight
    #7 gate preflight: skipped
    #7 next step: test integrity
    #7 gate test_integrity: skipped
    #7 next step: product review
    #7 gate product_review: skipped
    #7 next step: devex review
    #7 gate devex_review: skipped
    #7 next step: publish
    #7 > push:commit-a
    #7 > pull:ralph/issue-7-issue-7:bot/integration
    #7 next step: checks
    ");
    let reasons = story.run(7).gates.iter().map(|(gate, r)| format!("{gate} {}", r.reason));
    assert_snapshot!(reasons.collect::<Vec<_>>().join(", "), @"plan_review fine, preflight configured, test_integrity configured, product_review configured, devex_review configured");
}

#[test]
fn a_record_names_the_head_it_judged_and_the_command() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::ProductReview);
    let record = story.run(7).gates.get(Gate::Preflight).expect("a record");
    assert_eq!(record.head.as_ref().map(ToString::to_string).as_deref(), Some("commit-4"));
    assert_eq!(
        (record.subject.as_str(), record.command.as_deref()),
        ("tree-4", Some("make check"))
    );
}

#[test]
fn a_run_that_failed_at_its_plan_plans_anew() {
    let mut story = Story::with(|rules| rules.limits.bounds.set(Bound::Step(Step::Plan), 1));
    story.queued(7);
    story.reaches(7, Step::PlanReview);
    story.finishes(7, crate::outside::verdict(false, "vague"));
    story.ordered(7, Command::Queue);
    story.settles();
    assert_eq!(story.run(7).plan, None);
    story.finishes(7, workspace(&story, 7, None));
    assert!(story.stands(7).starts_with("in-progress: running plan,"), "{}", story.stands(7));
    story.finishes(7, failed("crashed"));
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Plan)), 1);
}
