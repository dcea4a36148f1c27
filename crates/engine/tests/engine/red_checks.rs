//! A required check turns red: its log is read from the forge, and the escalation quotes it.

use crate::hand_forge::ReplyMode;
use crate::harness::{Harness, key};
use crate::lookups::{asked, hears_nothing, looks_up};
use crate::whole_run::waiting_for_checks;
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_engine::ports::Unread;

fn escalated(harness: &mut Harness) -> String {
    let is_told = |harness: &Harness| {
        let told =
            harness.forge.comments.iter().any(|(_, it)| it.body.contains("ralph-escalation"));
        told && matches!(harness.managed(7).phase, Phase::Escalated { .. })
    };
    harness.rounds_until(is_told);
    let of_issue = harness.forge.comments.iter().filter(|(of, _)| *of == key(7));
    let mut bodies = of_issue.map(|(_, comment)| comment.body.clone());
    bodies.find(|body| body.contains("ralph-escalation")).unwrap_or_default()
}

#[test]
fn the_escalation_and_the_gates_show_what_the_red_check_says() {
    let mut harness = waiting_for_checks();
    harness.forge.ci = Some(CheckState::Fail);
    harness.forge.log = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n".to_owned();
    let body = escalated(&mut harness);
    assert!(body.contains("`CI` looks like a regression: a tool refuses the source"), "{body}");
    assert!(body.contains("error[E0308]: mismatched types"), "{body}");
    let report = harness.reader().gates(&key(7)).expect("a read").expect("a report");
    assert!(report.artifacts[0].contains("error[E0308]"), "{:?}", report.artifacts);
}

#[test]
fn a_log_that_cannot_be_read_does_not_keep_the_escalation_back() {
    let mut harness = waiting_for_checks();
    harness.forge.ci = Some(CheckState::Fail);
    harness.forge.log_unread = Some(Unread::failed("away".to_owned()));
    let body = escalated(&mut harness);
    assert!(!body.contains("looks like"), "{body}");
}

const RESET: &str = "Error: read ECONNRESET\n    at TLSWrap.onStreamRead\n";

#[test]
fn what_may_be_chance_is_run_once_more_and_merged_when_it_is_green() {
    let mut harness = waiting_for_checks();
    harness.forge.ci = Some(CheckState::Fail);
    harness.forge.log = RESET.to_owned();
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
    assert_eq!(asked(&harness, "rerun CheckRun(1)"), 1, "{:?}", harness.forge.asked);
    assert!(harness.managed(7).lanes.is_empty(), "no agent was started for it");
}

#[test]
fn a_rerun_whose_answer_was_lost_is_asked_for_again_only_if_the_check_is_as_red_as_before() {
    for (mode, times) in [(ReplyMode::LosesAnswer, 1), (ReplyMode::LosesChange, 2)] {
        let mut harness = waiting_for_checks();
        harness.forge.ci = Some(CheckState::Fail);
        harness.forge.log = RESET.to_owned();
        let rerun = harness.leases_next(":rerun:");
        hears_nothing(&mut harness, &rerun, mode);
        looks_up(&mut harness, &rerun);
        assert_eq!(asked(&harness, "rerun CheckRun(1)"), times);
        let run = harness.managed(7).run.as_ref().expect("a run");
        assert_eq!(run.reruns.len(), 1);
    }
}
