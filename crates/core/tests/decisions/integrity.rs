//! The base's tests and check definitions applied to the change: when they run, and the consequences of their result.

use crate::outside::{changes, commands_failed, failed, head, turn, verdict, workspace};
use crate::story::{Story, Which as _};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, IssueAct, MachineAct};
use ralph_core::escalation::Cause;
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::issue::Phase;
use ralph_core::job::{Job, Role};
use ralph_core::policy::RepoPolicy;
use ralph_core::run::Head;
use ralph_core::steps::Step;
use ralph_core::test_files::Changes;
use ralph_core::words;

/// A run that is implemented, with these files of the base changed, and through preflight.
fn changed(edited: &[&str], rules: impl FnOnce(&mut RepoPolicy)) -> Story {
    changed_by(changes(edited), rules)
}

fn changed_by(changes: Changes, rules: impl FnOnce(&mut RepoPolicy)) -> Story {
    let mut story = Story::with(rules);
    story.queued(7);
    story.reaches(7, Step::Implement);
    let head = Head { changes: Some(changes), ..head("a") };
    story.finishes(7, turn(Answer::Changed(head)));
    story.finishes(7, story.success(7, Step::Preflight));
    story
}

fn status(story: &Story) -> Option<GateStatus> {
    story.run(7).gates.get(Gate::TestIntegrity).map(|record| record.status)
}

#[test]
fn a_change_that_touches_no_test_passes_without_a_process() {
    let story = changed(&["src/a.rs"], |_| {});
    let record = story.run(7).gates.get(Gate::TestIntegrity).expect("a record");
    assert_eq!(record.status, GateStatus::Pass);
    assert_eq!(record.reason, words::INTEGRITY_UNTOUCHED);
    assert!(story.stands(7).contains("running product review"), "{}", story.stands(7));
}

#[test]
fn a_new_test_is_left_out_by_a_process_and_new_data_needs_none() {
    let adds = |path: &str| Changes { added: vec![path.to_owned()], ..changes(&["src/a.rs"]) };
    let story = changed_by(adds("tests/test_a.py"), |_| {});
    assert!(story.stands(7).contains("running test integrity"), "{}", story.stands(7));
    let story = changed_by(adds("tests/expected.json"), |_| {});
    assert_eq!(status(&story), Some(GateStatus::Pass));
}

#[test]
fn a_touched_test_is_held_against_the_base_after_preflight() {
    let mut story = changed(&["tests/a.rs"], |rules| rules.test_globs = vec!["x/**".to_owned()]);
    assert!(story.stands(7).contains("running test integrity"), "{}", story.stands(7));
    let attempt = story.managed(7).attempt;
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    let wanted = story.wanted();
    let is_it = |effect: &&Effect| {
        matches!(effect, Effect::Machine(_, MachineAct::Start { job: Job::Integrity { .. }, .. }))
    };
    let job = wanted.iter().find(is_it);
    let Some(Effect::Machine(_, MachineAct::Start { job, .. })) = job else { panic!("{wanted:?}") };
    let Job::Integrity { base, commit, commands, test_globs, plan, .. } = job else {
        panic!("{job:?}")
    };
    assert_eq!((base.as_str(), commit.as_str()), ("base", "commit-a"));
    assert_eq!(
        (&commands[..], &test_globs[..]),
        (&["make check".to_owned()][..], &["x/**".to_owned()][..])
    );
    assert_eq!(*plan, story.run(7).plan.as_ref().map(|plan| plan.text));
    story.finishes(7, story.success(7, Step::Integrity));
    assert_eq!(status(&story), Some(GateStatus::Pass));
    assert!(story.stands(7).contains("running product review"), "{}", story.stands(7));
}

#[test]
fn the_operator_chooses_what_a_failure_leads_to() {
    let mut story = changed(&["tests/a.rs"], |_| {});
    story.finishes(7, commands_failed("tests/a.rs was edited"));
    assert!(story.stands(7).contains("running plan"), "{}", story.stands(7));
    let feedback = story.run(7).feedback.clone().unwrap_or_default();
    assert!(feedback.contains("name it") && feedback.contains("tests/a.rs"), "{feedback}");

    let advisory = |rules: &mut RepoPolicy| rules.advisory_gates = [Gate::TestIntegrity].into();
    let mut story = changed(&["tests/a.rs"], advisory);
    story.finishes(7, commands_failed("tests/a.rs was edited"));
    assert!(story.stands(7).contains("running product review"), "{}", story.stands(7));
    let record = story.run(7).gates.get(Gate::TestIntegrity).expect("a record");
    assert_eq!((record.status, record.is_advisory), (GateStatus::Fail, true));
    story.reaches(7, Step::Checks);
    assert!(story.run(7).is_ready_for_pull());

    let skip = |rules: &mut RepoPolicy| rules.skipped_gates = [Gate::TestIntegrity].into();
    let story = changed(&["tests/a.rs"], skip);
    assert_eq!(status(&story), Some(GateStatus::Skipped));
}

/// A new plan for the same change passes its review.
fn replanned(story: &mut Story) {
    story.finishes(7, story.success(7, Step::Plan));
    story.finishes(7, story.success(7, Step::PlanReview));
}

#[test]
fn a_new_plan_judges_the_same_change_again_before_it_has_to_change() {
    let mut story = changed(&["tests/a.rs"], |_| {});
    story.finishes(7, commands_failed("tests/a.rs was edited"));
    replanned(&mut story);
    assert!(story.stands(7).contains("running test integrity"), "{}", story.stands(7));
    let mut named = story.clone();
    named.finishes(7, named.success(7, Step::Integrity));
    assert!(named.stands(7).contains("running product review"), "{}", named.stands(7));
    assert_eq!(named.run(7).spent.of(Bound::Step(Step::Implement)), 1);
    story.finishes(7, commands_failed("tests/a.rs was edited"));
    assert!(story.stands(7).contains("running implement"), "{}", story.stands(7));
    let feedback = story.run(7).feedback.clone().unwrap_or_default();
    assert!(feedback.contains("test_integrity") && feedback.contains("tests/a.rs"), "{feedback}");
}

#[test]
fn what_fails_again_and_again_is_bounded_and_put_to_a_person_as_what_it_is() {
    let mut story = changed(&["tests/a.rs"], |_| {});
    for name in ["b", "c", "d"] {
        story.finishes(7, commands_failed("tests/a.rs was edited"));
        if story.stands(7).starts_with("escalated") {
            break;
        }
        replanned(&mut story);
        story.finishes(7, commands_failed("tests/a.rs was edited"));
        let again = Head { changes: Some(changes(&["tests/a.rs"])), ..head(name) };
        story.finishes(7, turn(Answer::Changed(again)));
        story.finishes(7, story.success(7, Step::Preflight));
    }
    let Phase::Escalated { cause, .. } = &story.managed(7).phase else {
        panic!("{}", story.stands(7))
    };
    assert!(
        matches!(cause, Cause::TestsChanged(reason) if reason.contains("tests/a.rs")),
        "{cause:?}"
    );
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, workspace(&story, 7, Some(head("c"))));
    assert!(!story.stands(7).starts_with("escalated"), "{}", story.stands(7));
}

#[test]
fn another_base_is_another_question_and_the_same_one_is_not_asked_twice() {
    let mut story = changed(&["tests/a.rs"], |_| {});
    story.finishes(7, story.success(7, Step::Integrity));
    let subject = story.run(7).subject_of(Gate::TestIntegrity).expect("a subject");
    let plan = story.run(7).plan.as_ref().expect("a plan").text;
    assert_eq!(subject, format!("tree-a on base by {plan}"));
    story.looks_at_everything();
    assert!(story.run(7).passed(Gate::TestIntegrity), "deciding again asks nothing again");
    let mut run = story.run(7).clone();
    if let Some(changes) = run.head.as_mut().and_then(|head| head.changes.as_mut()) {
        changes.base = ralph_core::ids::Sha::new("base-2");
    }
    assert!(!run.passed(Gate::TestIntegrity), "the base has moved");
}

#[test]
fn commands_that_cannot_be_run_say_nothing_about_the_change() {
    let mut story = changed(&["tests/a.rs"], |_| {});
    story.finishes(7, failed("no space left"));
    assert_eq!(status(&story), None);
    story.finishes(7, failed("no space left"));
    assert!(story.stands(7).starts_with("escalated"), "{}", story.stands(7));
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Implement)), 1);
}

#[test]
fn a_head_of_an_earlier_version_is_looked_at_by_git() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Implement);
    story.finishes(7, turn(Answer::Changed(Head { changes: None, ..head("a") })));
    story.finishes(7, story.success(7, Step::Preflight));
    assert!(story.stands(7).contains("running test integrity"), "{}", story.stands(7));
    story.finishes(7, Outcome::CommandsPassed { command: String::new(), ran: Vec::new() });
    assert_eq!(status(&story), Some(GateStatus::Pass));
    let record = story.run(7).gates.get(Gate::TestIntegrity).expect("a record");
    assert_eq!(
        record.reason,
        words::INTEGRITY_NOTHING_HELD,
        "what the plan mentions may be changed"
    );
}

#[test]
fn the_pull_request_says_which_tests_of_the_base_were_changed_whatever_the_plan_says_of_them() {
    let body = |changes: Changes| {
        let mut story = changed_by(changes, |_| {});
        if story.stands(7).contains("running test integrity") {
            let nothing = Outcome::CommandsPassed { command: String::new(), ran: Vec::new() };
            story.finishes(7, nothing);
        }
        story.finishes(7, story.success(7, Step::ProductReview));
        story.ends(7, story.success(7, Step::DevexReview));
        story.performs("push:");
        let opens = story.wanted().into_iter().find_map(|effect| {
            let Effect::Issue(_, IssueAct::OpenPull { body, .. }) = effect else { return None };
            Some(body)
        });
        opens.expect("a pull request")
    };
    let touched = body(changes(&["src/a.rs", "tests/a.rs", "Makefile"]));
    assert!(!touched.contains("no test"), "{touched}");
    assert!(touched.ends_with("check definitions of the base: tests/a.rs, Makefile."), "{touched}");
    assert!(touched.contains("product_review: pass, in the reviewer's words: fine"), "{touched}");
    let untouched = body(changes(&["src/a.rs"]));
    assert!(untouched.ends_with("no test and no check definition of the base."), "{untouched}");
    let cut = body(Changes { is_cut: true, ..changes(&["src/a.rs"]) });
    assert!(cut.contains("too many files") && !cut.contains("no test"), "{cut}");
}

#[test]
fn the_story_says_so_when_nothing_had_to_be_run() {
    let outcome = Outcome::CommandsPassed { command: String::new(), ran: Vec::new() };
    let attempt = ralph_core::ids::Attempt(3);
    let line = words::journal_line(&Fact::of(7.key(), What::Finished { attempt, outcome }));
    assert_eq!(line.as_deref(), Some("attempt 3: no command had to be run"));
}

#[test]
fn the_planner_is_told_to_name_what_of_the_bases_tests_has_to_change() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::PlanReview);
    story.ends(7, verdict(false, "too vague"));
    let turn = story.wanted_turn().expect("a turn");
    assert_eq!(turn.role, Role::Plan);
    let prompt = words::prompt(&turn, &words::Texts::default()).unwrap().text;
    let is_told = |line: &str| {
        ["every test", "check definition", "base", "change", "path"]
            .iter()
            .all(|part| line.contains(part))
    };
    assert!(prompt.lines().any(is_told), "{prompt}");
}
