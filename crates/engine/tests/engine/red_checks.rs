//! A required check turns red: its log is read from the forge, and the escalation tells what it says.

use crate::desk::{Desk, key};
use crate::life::waiting_for_checks;
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
    desk.forge.log_unread = Some(Unread { until: None, why: "away".to_owned() });
    let body = escalated(&mut desk);
    assert!(!body.contains("looks like"), "{body}");
}
