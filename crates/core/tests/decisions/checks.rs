//! Required checks: the list of them, their combined state, and the time limit for them.

use crate::outside::commands_failed;
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::fact::{Observation, RepoObservation};
use ralph_core::gate::{Gate, GateStatus};
use ralph_core::pull::{Mergeable, Required};
use ralph_core::steps::Step;
use ralph_core::time::Span;
use ralph_core::unread::ReadOf;

/// A run whose pull request the forge shows as blocked, so that nothing merges in between.
fn waiting(required_checks: Option<&[&str]>) -> Story {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let mut story = Story::with(|rules| rules.required_checks = required_checks.map(names));
    story.queued(7);
    story.reaches(7, Step::Checks);
    story.told();
    story
}

fn shown(story: &mut Story) {
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Blocked);
}

fn ci(story: &Story) -> (GateStatus, String) {
    let record = story.run(7).gates.get(Gate::Ci).expect("a record");
    (record.status, record.reason.clone())
}

#[test]
fn an_empty_list_skips_ci_because_the_operator_said_so() {
    let mut story = waiting(Some(&[]));
    shown(&mut story);
    assert_eq!(ci(&story), (GateStatus::Skipped, "configured".to_owned()));
    assert_eq!(story.stands(7), "in-progress: waits until the forge can merge it");
}

#[test]
fn ci_is_skipped_when_the_operator_says_so() {
    for required_checks in [None, Some(vec!["ci".to_owned()])] {
        let mut story = Story::with(|rules| {
            rules.skipped_gates = [Gate::Ci].into();
            rules.required_checks = required_checks;
        });
        story.queued(7);
        story.reaches(7, Step::Checks);
        story.reads_pull(7, |_| {});
        assert_eq!(ci(&story), (GateStatus::Skipped, "configured".to_owned()));
        assert!(story.wants(7).starts_with("merge:"), "{}", story.wants(7));
    }
}

#[test]
fn a_readable_none_means_ungated() {
    let mut story = waiting(None);
    story.reads_repo("acme/app", RepoObservation::Required(Required::Nothing));
    shown(&mut story);
    assert_eq!(ci(&story), (GateStatus::Skipped, "no-required-checks".to_owned()));
}

#[test]
fn an_unreadable_answer_means_wait_and_never_ungated() {
    let mut story = waiting(None);
    shown(&mut story);
    let waits = "in-progress: waits: which checks are required could not be read yet";
    assert_eq!(story.stands(7), waits);
    story.reads_repo("acme/app", RepoObservation::Required(Required::Unknown));
    story.passes(Span::from_mins(30));
    assert_eq!(story.stands(7), waits);
    let watch = format!("{:?}", story.decision(7).watch);
    assert!(watch.contains("Required(acme/app), pace: Normal"), "{watch}");
}

#[test]
fn an_unreadable_answer_leaves_the_last_readable_one_in_force() {
    let mut story = waiting(None);
    let names = Required::Names(vec!["lint".to_owned()]);
    story.reads_repo("acme/app", RepoObservation::Required(names));
    story.reads_repo("acme/app", RepoObservation::Required(Required::Unknown));
    shown(&mut story);
    story.reads_checks(7, &[]);
    assert_snapshot!(story.stands(7), @"in-progress: waits for checks: lint (until 2026-01-05 09:45:00Z)");
}

#[test]
fn that_nothing_is_required_holds_only_as_long_as_it_is_read() {
    let mut story = waiting(None);
    story.reads_repo("acme/app", RepoObservation::Required(Required::Nothing));
    story.reads_repo("acme/app", RepoObservation::Required(Required::Unknown));
    shown(&mut story);
    let waits = "in-progress: waits: which checks are required could not be read yet";
    assert_eq!(story.stands(7), waits);
}

#[test]
fn all_required_checks_must_pass_and_neutral_and_skipped_do() {
    for (states, expected) in [
        (vec![("ci", "success"), ("lint", "neutral")], GateStatus::Pass),
        (vec![("ci", "skipped"), ("lint", "success"), ("other", "failure")], GateStatus::Pass),
        (vec![("ci", "success")], GateStatus::Pending),
        (vec![("ci", "success"), ("lint", "in_progress")], GateStatus::Pending),
        (vec![("ci", "success"), ("lint", "success"), ("lint", "queued")], GateStatus::Pending),
        (vec![("ci", "success"), ("lint", "cancelled")], GateStatus::Fail),
        (vec![("ci", "expected"), ("lint", "stale")], GateStatus::Fail),
    ] {
        let mut story = waiting(Some(&["ci", "lint"]));
        shown(&mut story);
        story.reads_checks(7, &states);
        assert_eq!(ci(&story).0, expected, "{states:?}");
    }
}

#[test]
fn failed_checks_go_into_the_lane_together() {
    let mut story = waiting(Some(&["ci", "lint", "docs"]));
    shown(&mut story);
    story.reads_checks(7, &[("ci", "success"), ("lint", "failure"), ("docs", "error")]);
    story.reads_log(7, "lint", "");
    story.reads_log(7, "docs", "");
    assert_snapshot!(story.told(), @"
    #7 gate ci: fail
    #7 CI-debug: the session that made the change gets what failed
    #7 next step: implement
    #7 > comment:ci-debug
    #7 attempt 8 of this issue: implement
    #7 > start:8
    ");
}

#[test]
fn what_is_pending_too_long_after_the_push_goes_into_the_lane_by_name() {
    let mut story = waiting(Some(&["ci", "lint"]));
    shown(&mut story);
    story.reads_checks(7, &[("ci", "success")]);
    assert_snapshot!(story.stands(7), @"in-progress: waits for checks: lint (until 2026-01-05 09:45:00Z)");
    story.passes(Span(Span::from_mins(45).0 - 1));
    assert!(story.stands(7).starts_with("in-progress"));
    story.passes(Span(1));
    assert_snapshot!(story.stands(7), @"in-progress: starting workspace");
}

#[test]
fn a_new_run_of_the_same_head_waits_for_its_checks_anew() {
    let mut story = waiting(Some(&["ci"]));
    shown(&mut story);
    story.reads_checks(7, &[]);
    story.passes(Span::from_mins(44));
    let pushed = story.run(7).head.clone();
    story.ordered(7, Command::Stop);
    story.settles();
    story.passes(Span::from_mins(1));
    story.ordered(7, Command::Queue);
    story.settles();
    story.finishes(7, crate::outside::workspace(&story, 7, pushed));
    shown(&mut story);
    story.reads_checks(7, &[]);
    assert_snapshot!(story.stands(7), @"in-progress: waits for checks: ci (until 2026-01-05 10:30:00Z)");
}

#[test]
fn checks_of_another_commit_say_nothing() {
    let mut story = waiting(Some(&["ci"]));
    shown(&mut story);
    let by_name = [("ci".to_owned(), Vec::new())].into();
    let head = ralph_core::ids::Sha::new("someone-elses");
    let checks = ralph_core::pull::Checks { head, by_name };
    story.reads(7, Observation::Checks(checks));
    assert_eq!(story.managed(7).pull.as_ref().and_then(|pull| pull.checks.clone()), None);
}

#[test]
fn a_green_check_that_turns_red_before_the_merge_opens_the_gate_again() {
    let mut story = waiting(Some(&["ci"]));
    shown(&mut story);
    story.reads_checks(7, &[("ci", "success")]);
    assert_eq!(story.stands(7), "in-progress: waits until the forge can merge it");
    story.reads_checks(7, &[("ci", "in_progress")]);
    assert!(story.stands(7).starts_with("in-progress: waits for checks: ci"));
    story.reads_checks(7, &[("ci", "failure")]);
    story.reads_log(7, "ci", "");
    assert_eq!(story.stands(7), "in-progress: starting implement");
}

#[test]
fn a_red_preflight_is_never_offered_to_ci() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Preflight);
    for name in ["b", "c"] {
        story.finishes(7, commands_failed("red"));
        story.finishes(7, crate::outside::changed(name));
    }
    story.told();
    story.finishes(7, commands_failed("red"));
    assert!(!story.told().contains("push"));
}

#[test]
fn a_wait_for_what_cannot_be_read_says_why_and_ends_with_a_person() {
    let why = "403: Resource not accessible by personal access token".to_owned();
    let mut story = waiting(Some(&["ci"]));
    shown(&mut story);
    assert_snapshot!(story.stands(7), @"in-progress: waits for the checks (until 2026-01-05 09:45:00Z)");
    story.reads(7, Observation::Unread { of: ReadOf::Checks, why: why.clone() });
    assert_snapshot!(story.stands(7), @"in-progress: waits for the checks (until 2026-01-05 09:45:00Z): it cannot be read: 403: Resource not accessible by personal access token");
    let mut mended = story.clone();
    mended.reads_checks(7, &[]);
    assert_snapshot!(mended.stands(7), @"in-progress: waits for checks: ci (until 2026-01-05 09:45:00Z)");
    mended.reads(7, Observation::Unread { of: ReadOf::Checks, why });
    for mut story in [story, mended] {
        story.passes(Span::from_mins(45));
        assert_eq!(
            story.stands(7),
            "escalated: needs a person: Ralph cannot read the check runs and statuses of its pull request on \
             the forge."
        );
        story.told();
        story.labelled(7, Command::Queue);
        assert!(story.stands(7).starts_with("in-progress"), "the time begins again");
    }
}

#[test]
fn each_of_these_waits_has_an_end() {
    let mut unknown = waiting(None);
    shown(&mut unknown);
    let why = "403".to_owned();
    unknown.reads_repo("acme/app", RepoObservation::RequiredUnread { why });
    assert!(unknown.stands(7).contains("cannot be read: 403"), "{}", unknown.stands(7));
    let unseen = waiting(Some(&["ci"]));
    assert_eq!(unseen.stands(7), "in-progress: waits until the forge shows the pull request");
    for mut story in [unknown, unseen] {
        let until = story.decision(7).standing.as_ref().and_then(|standing| standing.deadline());
        assert_eq!(until, Some(story.now.plus(Span::from_mins(45))));
        story.passes(Span::from_mins(45));
        assert!(story.stands(7).starts_with("escalated: needs a person: Ralph cannot read"));
    }
}
