//! The end of a step and the reason of a failure: for the record of a run, for the next turn, and for people.

use super::listed;
use crate::fact::{Answer, Outcome};
use crate::gate::Gate;

pub const PREFLIGHT_UNSET: &str = "`preflight_command` is no longer set";
pub const INTERRUPTED: &str = "Ralph itself came to its end";
pub const NO_WORKER_FREE: &str = "no worker was free in time";
pub const OF_A_SYNC: &str = "it only brings what the default branch has";
pub const OF_A_SURVEY: &str = "what Ralph opened itself is not surveyed";
pub const MERGE_BLOCKED: &str = "the forge reports it as blocked";
pub const BASE_KEEPS_MOVING: &str =
    "whenever it was tested with the bot branch, that branch had moved on";
pub const MERGE_UNDECIDED: &str = "the forge never said whether it can merge";

/// The message to the next turn about a gate that refused the change.
#[must_use]
pub fn gate_failed(gate: Gate, reason: &str) -> String {
    format!("{gate}: {reason}")
}

pub const INTEGRITY_UNTOUCHED: &str = "no test and no check definition of the base was changed";
pub const INTEGRITY_NOTHING_HELD: &str = "nothing was run: whatever is touched of the base's tests and check definitions is \
     mentioned in the plan or counts for the same as before";

/// The message to the next planner.
#[must_use]
pub fn tests_changed(reason: &str) -> String {
    format!(
        "The change that was made by the last plan fails with the tests and check definitions of the base. Plan \
         a change that works with them as they are. If one has to change, name it in the plan by its path and say \
         why; what the plan does not name stays as it is.\n{reason}"
    )
}

/// The reason why a change fails with the tests and check definitions of the base.
#[must_use]
pub fn integrity_failed(files: &[String], excerpt: &str) -> String {
    let files = listed(files, ", ");
    format!(
        "The change edits, removes or adds tests or check definitions: {files}. With the base's version of them, and \
         without those that are new, the commands fail. Make the change fit what the base has; what has to change \
         there, a plan has to name.\n{excerpt}"
    )
}

/// The end of a step in a word or two.
#[must_use]
pub fn step_ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::WorkspaceReady { .. } => "ready".to_owned(),
        Outcome::WorkspaceConflict { files, .. } => format!("{} conflicts", files.len()),
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
            Answer::Unresolved { .. } => "conflicts are left",
            Answer::Survey(_) => "surveyed",
        }
        .to_owned(),
        Outcome::Stalled { seen, .. } => super::stall::seen(seen),
        Outcome::TimedOut { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::Failed { .. }
        | Outcome::AgentFailed { .. } => failure(outcome),
    }
}

/// The failure in words that a person, or the next turn, can act on.
#[must_use]
pub fn failure(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TimedOut { limit } => format!("timeout: ended after its limit of {limit}"),
        Outcome::Stalled { seen, .. } => super::stall::seen(seen),
        Outcome::WorkspaceLost { reason }
        | Outcome::Failed { reason }
        | Outcome::AgentFailed { reason, .. } => reason.clone(),
        Outcome::CommandsFailed { command, excerpt, .. } => {
            format!("`{command}` failed:\n{excerpt}")
        }
        Outcome::Turn { answer: Answer::Unchanged, .. } => "the turn changed nothing".to_owned(),
        Outcome::Turn { answer: Answer::Unresolved { files }, .. } => {
            format!("these files are in conflict still: {}", listed(files, ", "))
        }
        Outcome::Turn { answer: Answer::NoVerdict { why, .. }, .. } => why.clone(),
        Outcome::Turn { .. } => "the turn gave another kind of answer than asked for".to_owned(),
        Outcome::WorkspaceReady { .. }
        | Outcome::WorkspaceConflict { .. }
        | Outcome::CommandsPassed { .. } => "the step ended with another step's result".to_owned(),
    }
}
