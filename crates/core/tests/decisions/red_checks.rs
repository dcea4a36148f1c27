//! Red checks: their logs are read before anything is done about them, and the repairing turn gets the result.

use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::fact::Observation;
use ralph_core::ids::Sha;
use ralph_core::issue::Phase;
use ralph_core::pull::Mergeable;
use ralph_core::rerun::Rerunnable;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::triage::{RedCheck, triage};

pub(crate) const ASSERTION: &str = "\
---- tests::adds stdout ----

thread 'tests::adds' (7) panicked at src/lib.rs:18:9:
assertion `left == right` failed
  left: 3
 right: 4
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
";
pub(crate) const DISK: &str = "tar: out.tar: Cannot write: No space left on device\n";

impl Story {
    /// Ralph reads this log of a red check of the pushed commit.
    pub(crate) fn reads_log(&mut self, which: impl Which, name: &str, log: &str) {
        let key = which.key();
        let head = self.run(key.clone()).pushed.clone().expect("a pushed branch");
        let triage = Box::new(triage(&RedCheck { name, conclusion: "failure", log }));
        let of = Some(Rerunnable::CheckRun(1));
        self.reads(key, Observation::RedCheck { head, triage, of });
    }
}

/// A run whose required check has just turned red.
pub(crate) fn red() -> Story {
    let mut story = Story::with(|rules| rules.required_checks = Some(vec!["ci".to_owned()]));
    story.queued(7);
    story.reaches(7, Step::Checks);
    turns_red(&mut story);
    story
}

pub(crate) fn turns_red(story: &mut Story) {
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Blocked);
    story.reads_checks(7, &[("ci", "failure")]);
}

pub(crate) fn escalation(story: &Story) -> String {
    escalation_of(story, 7)
}

pub(crate) fn escalation_of(story: &Story, number: u64) -> String {
    let Phase::Escalated { cause, episode } = &story.managed(number).phase else {
        panic!("{}", story.stands(number));
    };
    let operator = ralph_core::ids::Login::new("ann");
    let (red_checks, lanes) = (&story.run(number).red_checks, &story.managed(number).lanes);
    let tried = ralph_core::words::Tried {
        red_checks,
        lanes,
        reviews: &[],
        can_replan: story.managed(number).sync.is_none(),
    };
    ralph_core::words::escalation(&number.key(), *episode, cause, &operator, &tried)
}

#[test]
fn the_log_of_a_red_check_is_read_before_anything_is_done_about_it() {
    let mut story = red();
    assert_snapshot!(story.stands(7), @"in-progress: reads the logs of red checks: ci (until 2026-01-05 09:05:00Z)");
    let watch = format!("{:?}", story.decision(7).watch);
    assert!(watch.contains("CheckLog("), "{watch}");
    assert!(watch.contains("Pull("), "{watch}");
    story.reads_log(7, "ci", ASSERTION);
    assert_eq!(story.stands(7), "in-progress: starting implement");
    let watch = format!("{:?}", story.decision(7).watch);
    assert!(!watch.contains("CheckLog("), "{watch}");
}

#[test]
fn a_log_that_cannot_be_read_holds_nothing_up_for_long() {
    let mut story = red();
    story.passes(Span::from_secs(299));
    assert!(story.stands(7).starts_with("in-progress: reads the logs"), "{}", story.stands(7));
    story.passes(Span::from_secs(1));
    assert_eq!(story.stands(7), "in-progress: starting workspace");
    let told = story.run(7).feedback.clone().unwrap_or_default();
    assert!(told.contains("- ci\n") && !told.contains("looks like"), "{told}");
}

#[test]
fn a_check_that_turns_green_meanwhile_needs_nobody() {
    let mut story = red();
    story.reads_checks(7, &[("ci", "success")]);
    assert_eq!(story.stands(7), "in-progress: waits until the forge can merge it");
}

#[test]
fn a_log_of_another_commit_or_read_twice_changes_nothing() {
    let mut story = red();
    let check = RedCheck { name: "ci", conclusion: "failure", log: ASSERTION };
    let triage = Box::new(triage(&check));
    story.reads(7, Observation::RedCheck { head: Sha::new("elsewhere"), triage, of: None });
    assert!(story.run(7).red_checks.is_empty());
    story.reads_log(7, "ci", ASSERTION);
    let once = story.run(7).clone();
    story.reads_log(7, "ci", DISK);
    assert_eq!(*story.run(7), once);
}
