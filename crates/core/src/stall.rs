//! A turn that does not get anywhere: what was seen of it, and the ladder that leads out. The first one of a run
//! is nudged in its own session, the next begins a fresh one, at the last a person is asked.

use crate::gate::Gate;
use crate::recipe::Step;
use crate::run::Run;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// What a turn did instead of getting on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    /// It neither wrote, nor changed a file, nor used the processor.
    Idle {
        limit: Span,
    },
    /// As above, while a program that it had started was still there.
    HungTool {
        name: String,
        limit: Span,
    },
    /// One file was changed over and over, and nothing was run in between.
    EditLoop {
        file: String,
        edits: u32,
    },
    /// Nothing but lines that it had just written.
    RepeatedOutput {
        limit: Span,
    },
    RunawayOutput {
        bytes: u64,
    },
    /// It was still at it when its time was over.
    Overtime {
        limit: Span,
    },
}

/// A stall that may be about to happen: seen at half of its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspicion {
    pub seen: Stall,
    pub since: Time,
}

/// The stall that the next turn of this step is told about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalled {
    pub step: Step,
    pub seen: Stall,
    /// The last lines the agent wrote.
    pub last: String,
    /// To be resumed; `None` on the second rung, and for an agent without sessions.
    pub session: Option<String>,
}

impl Run {
    /// The stall that a turn of this step has to get over.
    #[must_use]
    pub fn stalled_at(&self, step: Step) -> Option<&Stalled> {
        self.stalled.as_ref().filter(|stalled| stalled.step == step)
    }

    /// Counts a stall and climbs the ladder. It costs no try of the step: a stall says nothing about the change.
    pub(crate) fn stall(&mut self, stalled: Stalled) {
        self.spent.stalls = self.spent.stalls.saturating_add(1);
        let keeper = Keeper::of(stalled.step);
        let resumed = match keeper {
            Keeper::Run => self.session.clone(),
            Keeper::Gate(gate) => self.gates.get(gate).and_then(|record| record.session.clone()),
            Keeper::Nobody => None,
        };
        let is_nudged = self.spent.stalls == 1;
        let session = stalled.session.or(resumed).filter(|_| is_nudged);
        match keeper {
            Keeper::Run => self.session.clone_from(&session),
            Keeper::Gate(gate) => self.gates.forget_session(gate),
            Keeper::Nobody => {}
        }
        self.stalled = Some(Stalled { session, ..stalled });
    }
}

/// Where the session of a step's turns is kept. Whoever judges has one of its own.
#[derive(Clone, Copy)]
enum Keeper {
    Run,
    Gate(Gate),
    Nobody,
}

impl Keeper {
    const fn of(step: Step) -> Self {
        match step {
            Step::Plan | Step::Implement | Step::Repair => Self::Run,
            Step::PlanReview => Self::Gate(Gate::PlanReview),
            Step::ProductReview => Self::Gate(Gate::ProductReview),
            Step::DevexReview => Self::Gate(Gate::DevexReview),
            Step::Workspace
            | Step::Setup
            | Step::ParentVerify
            | Step::Preflight
            | Step::Integrity
            | Step::Publish
            | Step::Survey
            | Step::Checks
            | Step::Merge => Self::Nobody,
        }
    }
}
