//! Checks that chance or the machine may have made red: rerun, once, before any repair.

use crate::red_checks::{ASSERTION, DISK, red, turns_red};
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::Observation;
use ralph_core::lane::Lane;
use ralph_core::rerun::Rerunnable;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::triage::{RedCheck, triage};

const RESET: &str = "Error: read ECONNRESET\n    at TLSWrap.onStreamRead\n";

fn attempts(story: &Story) -> usize {
    story.managed(7).lanes.attempts(Lane::CiDebug).len()
}

/// Ralph reads the log of the red check, which has this number by now.
fn reads_log_of(story: &mut Story, number: u64, log: &str) {
    let head = story.run(7).pushed.clone().expect("a pushed branch");
    let check = RedCheck { name: "ci", conclusion: "failure", log };
    let (triage, of) = (Box::new(triage(&check)), Some(Rerunnable::CheckRun(number)));
    story.reads(7, Observation::RedCheck { head, triage, of });
}

#[test]
fn what_may_be_chance_or_the_machine_is_run_once_more_before_any_agent() {
    for log in [DISK, RESET] {
        let mut story = red();
        story.reads_log(7, "ci", log);
        assert_eq!(story.wants(7), "rerun:commit-4:ci");
        assert_eq!(story.stands(7), "in-progress: has checks run again: ci");
        story.settles();
        assert_eq!(
            story.stands(7),
            "in-progress: waits for checks that run again: ci (until 2026-01-05 09:15:00Z)"
        );
        story.reads_checks(7, &[("ci", "in_progress")]);
        story.reads_checks(7, &[("ci", "success")]);
        assert_eq!(story.stands(7), "in-progress: waits until the forge can merge it");
        assert_eq!(attempts(&story), 0);
    }
}

#[test]
fn what_a_check_said_before_it_ran_again_counts_no_more() {
    let mut story = red();
    story.reads_log(7, "ci", DISK);
    story.settles();
    story.passes(Span::from_secs(30));
    story.reads_log(7, "ci", DISK);
    assert!(story.stands(7).contains("run again"), "{}", story.stands(7));
    reads_log_of(&mut story, 2, DISK);
    assert_eq!(
        story.stands(7),
        "in-progress: starting workspace",
        "it stayed red: a dedicated run"
    );
    assert_eq!(attempts(&story), 1);
}

#[test]
fn a_check_that_was_seen_running_and_is_red_again_is_read_again() {
    let mut story = red();
    story.reads_log(7, "ci", RESET);
    story.settles();
    story.passes(Span::from_secs(30));
    story.reads_checks(7, &[("ci", "in_progress")]);
    turns_red(&mut story);
    story.reads_log(7, "ci", ASSERTION);
    assert_eq!(story.stands(7), "in-progress: starting implement", "a regression after all");
}

#[test]
fn a_check_is_run_once_more_only_once_for_each_head() {
    let mut story = red();
    story.reads_log(7, "ci", DISK);
    story.settles();
    reads_log_of(&mut story, 2, DISK);
    assert!(!story.wants(7).contains("rerun"), "{}", story.wants(7));
    story.ordered(7, Command::Stop);
    story.settles();
    story.ordered(7, Command::Queue);
    story.settles();
    let head = story.run(7).pushed.clone();
    story.finishes(7, crate::outside::workspace(&story, 7, Some(crate::outside::head("4"))));
    story.reaches(7, Step::Checks);
    assert_eq!(story.run(7).pushed, head);
    turns_red(&mut story);
    reads_log_of(&mut story, 2, DISK);
    assert!(!story.told().contains("rerun:commit-4:ci\n#7 > rerun"), "once for ever");
    assert!(!story.wants(7).contains("rerun"), "{}", story.wants(7));
}

#[test]
fn a_rerun_that_is_refused_or_never_shows_leads_to_the_lane() {
    let mut refused = red();
    refused.reads_log(7, "ci", DISK);
    refused.refuses(":rerun:");
    assert_eq!(refused.stands(7), "in-progress: starting workspace");

    let mut silent = red();
    silent.reads_log(7, "ci", DISK);
    silent.settles();
    silent.passes(Span::from_mins(15));
    assert_eq!(silent.stands(7), "in-progress: starting workspace");
}

#[test]
fn a_check_that_never_reports_is_told_by_its_name() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Checks);
    story.reads_pull(7, |_| {});
    story.reads_checks(7, &[]);
    story.told();
    story.passes(Span::from_mins(45));
    assert_snapshot!(story.told(), @"
    #7 checks did not report in time: ci
    #7 CI-debug: a dedicated run begins
    #7 > comment:ci-debug
    #7 attempt 8 of this issue: workspace
    #7 > start:8
    ");
    let red = &story.run(7).red_checks[0];
    assert_eq!((red.check(), red.triage.classified.why.as_str()), ("ci", "it ran out of time"));
}
