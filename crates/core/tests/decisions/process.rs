//! Processes: late, dying, interrupted, or answering for an attempt that is over.

use crate::outside::{commands_failed, failed};
use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Fact, Outcome, What};
use ralph_core::ids::{Attempt, Login};
use ralph_core::issue::Phase;
use ralph_core::job::{Job, Role};
use ralph_core::lane::Lanes;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::words;

const FIVE_MINUTES: Span = Span::from_mins(5);

fn interrupt(story: &mut Story) {
    let attempt = story.managed(7).attempt;
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    story.settles();
}

#[test]
fn setup_is_tried_twice() {
    let mut story = Story::with(|rules| rules.setup = vec!["make setup".to_owned()]);
    story.queued(7);
    story.reaches(7, Step::Setup);
    story.finishes(7, commands_failed("no network"));
    assert!(story.stands(7).starts_with("in-progress: running setup"), "{}", story.stands(7));
    story.finishes(7, commands_failed("no network"));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The setup step failed as often as it may.");
}

#[test]
fn a_process_past_its_limit_is_ended_and_counts_as_a_failed_try() {
    for (step, minutes, grace) in [
        (Step::Workspace, 10, 0),
        (Step::Setup, 10, 2),
        (Step::Plan, 30, 2),
        (Step::Implement, 50, 2),
        (Step::Preflight, 12, 2),
        (Step::DevexReview, 5, 2),
    ] {
        let mut story = Story::with(|rules| {
            rules.setup = vec!["make setup".to_owned()];
            let own = [(Role::Implement, Span::from_mins(50)), (Role::DevexReview, FIVE_MINUTES)];
            rules.limits.role_turn_timeouts = own.into();
        });
        story.queued(7);
        story.reaches(7, step);
        story.passes(Span(Span::from_mins(minutes + grace).0 - 1));
        assert!(story.stands(7).contains(": running"), "{step}: {}", story.stands(7));
        story.passes(Span(1));
        assert_eq!(story.stands(7), format!("in-progress: ending {step}"));
        story.performs("end:");
        let how = story.run(7).steps.last().expect("a record").how.clone();
        assert_eq!(how, format!("timeout: ended after its limit of {}", Span::from_mins(minutes)));
    }
}

#[test]
fn whoever_runs_a_step_meets_its_limit_before_the_engine_does() {
    let mut story = Story::with(|rules| {
        rules.setup = vec!["make setup".to_owned(), "make tools".to_owned()];
        rules.limits.role_turn_timeouts = [(Role::PlanReview, FIVE_MINUTES)].into();
    });
    story.queued(7);
    let mut limits = Vec::new();
    for step in [Step::Setup, Step::Plan, Step::PlanReview, Step::Implement, Step::Preflight] {
        story.reaches(7, step);
        let attempt = story.managed(7).attempt;
        story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
        let job = story.wanted().into_iter().find_map(|effect| match effect {
            Effect::Machine(_, MachineAct::Start { job, .. }) => Some(job),
            Effect::Machine(..) | Effect::Issue(..) | Effect::Repo(..) => None,
        });
        let limit = match job.expect("a job") {
            Job::Setup { timeout, commands, .. } => timeout.times(commands.len()),
            Job::Preflight { setup, setup_timeout, commands, timeout, .. }
            | Job::Integrity { setup, setup_timeout, commands, timeout, .. } => {
                setup_timeout.times(setup.len()).plus(timeout.times(commands.len()))
            }
            Job::Turn(turn) => turn.timeout,
            Job::Workspace { .. } => panic!("a workspace has no clock of its own"),
        };
        let work = story.managed(7).work.clone().expect("a process");
        let left = work.deadline.since(work.started.plus(limit));
        assert_eq!(left, Span::from_mins(2), "{step}: for a checkout and a report");
        limits.push(format!("{step} {limit}"));
        story.settles();
    }
    assert_snapshot!(limits.join(", "), @"setup 20m, plan 30m, plan review 5m, implement 30m, preflight 22m");
}

#[test]
fn a_step_that_times_out_as_often_as_it_may_escalates() {
    let mut story = Story::plain();
    story.queued(7);
    story.settles();
    for _ in 0..3 {
        story.passes(Span::from_mins(10));
        story.settles();
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The workspace step failed as often as it may.");
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Workspace)), 3);
}

#[test]
fn an_answer_that_arrives_before_the_end_is_confirmed_counts() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    story.passes(Span::from_mins(32));
    story.finishes(7, story.success(7, Step::Plan));
    assert!(story.run(7).plan.is_some());
    assert!(story.stands(7).starts_with("in-progress: running plan review"));
}

#[test]
fn an_interruption_spends_no_try_and_ten_in_a_row_escalate() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    for _ in 0..9 {
        interrupt(&mut story);
        assert!(story.stands(7).starts_with("in-progress: running plan"), "{}", story.stands(7));
    }
    assert_eq!(
        (
            story.run(7).spent.of(Bound::Step(Step::Plan)),
            story.run(7).spent.of(Bound::INTERRUPTIONS)
        ),
        (0, 9)
    );
    interrupt(&mut story);
    assert_snapshot!(story.stands(7), @"escalated: needs a person: Ralph was interrupted again and again during this run.");
}

#[test]
fn interruptions_are_counted_anew_after_progress() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    for step in [Step::Plan, Step::PlanReview, Step::Implement] {
        for _ in 0..9 {
            interrupt(&mut story);
        }
        story.finishes(7, story.success(7, step));
    }
    assert!(story.stands(7).starts_with("in-progress: running preflight"));
}

#[test]
fn a_result_of_an_older_attempt_changes_nothing() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    interrupt(&mut story);
    let before = story.issue(7).clone();
    let current = story.managed(7).attempt;
    let outcome = story.success(7, Step::Plan);
    for attempt in [Attempt(0), Attempt(current.0 - 1), Attempt(current.0 + 1)] {
        for what in [
            What::Finished { attempt, outcome: outcome.clone() },
            What::Finished { attempt, outcome: failed("died") },
            What::Interrupted { attempt },
            What::Settled(ralph_core::fact::Settled::Ended { attempt }),
            What::Settled(ralph_core::fact::Settled::Started { attempt }),
        ] {
            story.tell(&Fact::of(7.key(), what));
            assert_eq!(*story.issue(7), before, "attempt {attempt} of {current}");
        }
    }
}

#[test]
fn a_process_that_cannot_be_started_is_a_failed_try() {
    let mut story = Story::plain();
    story.queued(7);
    for _ in 0..3 {
        story.refuses("start:");
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The workspace step failed as often as it may.");
}

#[test]
fn a_conflict_of_which_an_earlier_version_kept_only_the_files_is_looked_at_again() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Workspace);
    story.finishes(7, Outcome::WorkspaceConflict { files: vec!["a.rs".to_owned()], at: None });
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Workspace)), 1);
    assert!(story.stands(7).starts_with("in-progress: running workspace"), "{}", story.stands(7));
}

#[test]
fn another_steps_result_is_a_failed_try_and_never_evidence() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::ProductReview);
    let outcome = Outcome::CommandsPassed { command: "true".to_owned(), ran: Vec::new() };
    story.finishes(7, outcome);
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::ProductReview)), 1);
    assert!(story.stands(7).starts_with("in-progress: running product review"));
}

#[test]
fn ralphs_death_is_not_counted_for_a_process_that_is_being_ended() {
    let mut stopped = Story::plain();
    stopped.queued(7);
    stopped.reaches(7, Step::Plan);
    stopped.ordered(7, Command::Stop);
    interrupt(&mut stopped);
    assert_eq!(stopped.run(7).spent.of(Bound::INTERRUPTIONS), 0);
    assert_eq!(stopped.stands(7), "stopped: stopped by command");

    let mut late = Story::plain();
    late.queued(7);
    late.reaches(7, Step::Plan);
    late.passes(Span::from_mins(32));
    interrupt(&mut late);
    let spent = &late.run(7).spent;
    assert_eq!(
        (spent.of(Bound::INTERRUPTIONS), spent.of(Bound::STALLS)),
        (0, 1),
        "it had used up its time"
    );
}

#[test]
fn a_preflight_that_cannot_be_run_costs_no_implementation_turn_and_is_tried_twice() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Preflight);
    story.finishes(7, failed("no space left"));
    assert!(story.stands(7).starts_with("in-progress: running preflight"), "{}", story.stands(7));
    assert_eq!(
        (story.run(7).feedback.clone(), story.run(7).spent.of(Bound::Step(Step::Implement))),
        (None, 1)
    );
    story.finishes(7, failed("no such program: make"));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The commands of the preflight step could not be run on Ralph's machine.");
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Preflight)), 2);
    let Phase::Escalated { cause, .. } = &story.managed(7).phase else { panic!("escalated") };
    let untried =
        words::Tried { red_checks: &[], lanes: &Lanes::default(), reviews: &[], can_replan: true };
    let body = words::escalation(&7.key(), 1, cause, &Login::new("ann"), &untried);
    assert!(body.contains("no such program: make"), "{body}");
}

#[test]
fn a_preflight_that_takes_too_long_is_the_changes_fault() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Preflight);
    story.passes(Span::from_mins(4));
    story.performs("end:");
    assert_eq!(story.run(7).spent.of(Bound::Step(Step::Preflight)), 0);
    let feedback = story.run(7).feedback.clone().unwrap_or_default();
    assert!(feedback.contains("timeout"), "{feedback}");
}
