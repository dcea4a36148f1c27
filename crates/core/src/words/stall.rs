//! Sentences about a turn that makes no progress: for people while it may still recover, for the next turn, and for the
//! person who is asked in the end.

use super::{one_line, quoted};
use crate::stall::{Stall, Stalled, Suspicion};

const MEGABYTE: u64 = 1_000_000;

/// The stall in one line.
pub(super) fn seen(stall: &Stall) -> String {
    match stall {
        Stall::Idle { limit } => {
            format!("idle: no output, no changed file and no processor time for {limit}")
        }
        Stall::HungTool { name, limit } => format!(
            "hung tool: {} neither wrote, nor changed a file, nor used the processor for {limit}",
            one_line(name)
        ),
        Stall::EditLoop { file, edits } => format!(
            "edit loop: {} was changed over and over ({edits} times) and nothing was run in between",
            one_line(file)
        ),
        Stall::RepeatedOutput { limit } => {
            format!("repeated output: nothing but the same lines for {limit}")
        }
        Stall::RunawayOutput { bytes } => {
            format!("runaway output: more than {} MB", bytes / MEGABYTE)
        }
        Stall::Overtime { limit } => format!("timeout: ended after its limit of {limit}"),
    }
}

/// The suspicion of a stall at half of its limit.
pub(super) fn suspected(suspicion: &Suspicion) -> String {
    let what = match &suspicion.seen {
        Stall::Idle { .. } => "quiet".to_owned(),
        Stall::HungTool { name, .. } => format!("quiet while {} runs,", one_line(name)),
        Stall::EditLoop { file, .. } => format!("changes {} over and over", one_line(file)),
        Stall::RepeatedOutput { .. } => "writes the same lines".to_owned(),
        Stall::RunawayOutput { bytes } => {
            format!("has written more than {} MB", bytes / MEGABYTE)
        }
        Stall::Overtime { .. } => "at work".to_owned(),
    };
    format!("{what} since {}", suspicion.since)
}

/// The stall, with the last lines of the agent.
#[must_use]
pub fn stalled(stalled: &Stalled) -> String {
    format!("{}\n{}", seen(&stalled.seen), stalled.last).trim_end().to_owned()
}

/// The advice to the next turn.
pub(super) fn nudge(stalled: &Stalled) -> String {
    let (seen, advice) = (seen(&stalled.seen), advice(&stalled.seen));
    let mut text = format!("Your last turn was ended because it did not get on: {seen}. {advice}");
    if !stalled.last.is_empty() {
        text.push_str("\nThe last lines it wrote:\n");
        text.push_str(&quoted(&stalled.last));
    }
    text
}

const fn advice(stall: &Stall) -> &'static str {
    match stall {
        Stall::Idle { .. } => "What is in the worktree is still there: go on from it.",
        Stall::HungTool { .. } => {
            "Do not run that again in the same way: give it a time limit, no terminal and nothing to wait \
             for, or do without it."
        }
        Stall::EditLoop { .. } => {
            "Stop and look at what is there. Run the check that shows whether it works before the next \
             change, and try another way if it does not."
        }
        Stall::RepeatedOutput { .. } => {
            "Do not repeat yourself: take the next step, or end the turn."
        }
        Stall::RunawayOutput { .. } => {
            "Send long output to a file and read the part of it that matters."
        }
        Stall::Overtime { .. } => {
            "What is in the worktree is still there: go on from it, do the most important part, and end \
             the turn in time."
        }
    }
}
