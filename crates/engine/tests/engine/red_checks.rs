//! A required check turns red: its log is read from the forge, and the escalation quotes it.

use crate::desk::{Desk, key};
use crate::hand_forge::Mood;
use crate::life::waiting_for_checks;
use crate::lookups::{asked, hears_nothing, looks_up};
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_engine::ports::Unread;

fn escalated(desk: &mut Desk) -> String {
    let is_told = |desk: &Desk| {
        let told = desk.forge.comments.iter().any(|(_, it)| it.body.contains("ralph-escalation"));
        told && matches!(desk.managed(7).phase, Phase::Escalated { .. })
    };
    desk.rounds_until(is_told);
    let of_issue = desk.forge.comments.iter().filter(|(of, _)| *of == key(7));
    let mut bodies = of_issue.map(|(_, comment)| comment.body.clone());
    bodies.find(|body| body.contains("ralph-escalation")).unwrap_or_default()
}

#[test]
fn the_escalation_and_the_gates_show_what_the_red_check_says() {
    let mut desk = waiting_for_checks();
    desk.forge.ci = Some(CheckState::Fail);
    desk.forge.log = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n".to_owned();
    let body = escalated(&mut desk);
    assert!(body.contains("`CI` looks like a regression: a tool refuses the source"), "{body}");
    assert!(body.contains("error[E0308]: mismatched types"), "{body}");
    let report = desk.reader().gates(&key(7)).expect("a read").expect("a report");
    assert!(report.artifacts[0].contains("error[E0308]"), "{:?}", report.artifacts);
}

#[test]
fn a_log_that_cannot_be_read_does_not_keep_the_escalation_back() {
    let mut desk = waiting_for_checks();
    desk.forge.ci = Some(CheckState::Fail);
    desk.forge.log_unread = Some(Unread::failed("away".to_owned()));
    let body = escalated(&mut desk);
    assert!(!body.contains("looks like"), "{body}");
}

const RESET: &str = "Error: read ECONNRESET\n    at TLSWrap.onStreamRead\n";

#[test]
fn what_may_be_chance_is_run_once_more_and_merged_when_it_is_green() {
    let mut desk = waiting_for_checks();
    desk.forge.ci = Some(CheckState::Fail);
    desk.forge.log = RESET.to_owned();
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::InBot { .. }));
    assert_eq!(asked(&desk, "rerun CheckRun(1)"), 1, "{:?}", desk.forge.asked);
    assert!(desk.managed(7).lanes.is_empty(), "no agent was started for it");
}

#[test]
fn a_rerun_whose_answer_was_lost_is_asked_for_again_only_if_the_check_is_as_red_as_before() {
    for (mood, times) in [(Mood::LosesAnswer, 1), (Mood::LosesChange, 2)] {
        let mut desk = waiting_for_checks();
        desk.forge.ci = Some(CheckState::Fail);
        desk.forge.log = RESET.to_owned();
        let rerun = desk.leases_next(":rerun:");
        hears_nothing(&mut desk, &rerun, mood);
        looks_up(&mut desk, &rerun);
        assert_eq!(asked(&desk, "rerun CheckRun(1)"), times);
        let run = desk.managed(7).run.as_ref().expect("a run");
        assert_eq!(run.reruns.len(), 1);
    }
}
