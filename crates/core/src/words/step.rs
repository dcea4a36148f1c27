//! How a step ended, and why it failed: for the record of a run, for the next turn, and for people.

use crate::fact::{Answer, Outcome};
use crate::gate::Gate;

pub const PREFLIGHT_UNSET: &str = "`preflight_command` is not set any more";
pub const MERGE_BLOCKED: &str = "the forge reports it as blocked";
pub const MERGE_UNDECIDED: &str = "the forge never said whether it can merge";

/// What the next turn is told about a gate that did not let the change through.
#[must_use]
pub fn gate_failed(gate: Gate, reason: &str) -> String {
    format!("{gate}: {reason}")
}

/// The end of a step in a word or two.
#[must_use]
pub fn step_ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::WorkspaceReady { .. } => "ready".to_owned(),
        Outcome::WorkspaceConflict { files } => format!("{} conflicts", files.len()),
        Outcome::CommandsPassed { .. } => "passed".to_owned(),
        Outcome::CommandsFailed { command, .. } => format!("failed: {command}"),
        Outcome::Turn { answer, .. } => match answer {
            Answer::Plan { .. } => "planned",
            Answer::Verdict { pass: true, .. } => "pass",
            Answer::Verdict { pass: false, .. } => "fail",
            Answer::NoVerdict { .. } => "no verdict",
            Answer::Changed(_) => "changed",
            Answer::Unchanged => "changed nothing",
            Answer::Parent(_) => "verified",
        }
        .to_owned(),
        Outcome::Stalled { seen, .. } => super::stall::seen(seen),
        Outcome::TimedOut { .. } | Outcome::Failed { .. } => failure(outcome),
    }
}

/// The failure in words that a person, or the next turn, can act on.
#[must_use]
pub fn failure(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TimedOut { limit } => format!("timeout: ended after its limit of {limit}"),
        Outcome::Stalled { seen, .. } => super::stall::seen(seen),
        Outcome::Failed { reason } => reason.clone(),
        Outcome::CommandsFailed { command, excerpt } => format!("`{command}` failed:\n{excerpt}"),
        Outcome::Turn { answer: Answer::Unchanged, .. } => "the turn changed nothing".to_owned(),
        Outcome::Turn { answer: Answer::NoVerdict { why, .. }, .. } => why.clone(),
        Outcome::Turn { .. } => "the turn gave another kind of answer than asked for".to_owned(),
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::CommandsPassed { .. } => "the step ended with another step's result".to_owned(),
    }
}
