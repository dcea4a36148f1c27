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
        let gate = reviewed_at(stalled.step);
        let resumed = match gate {
            None => self.session.clone(),
            Some(gate) => self.gates.get(gate).and_then(|record| record.session.clone()),
        };
        let is_nudged = self.spent.stalls == 1;
        let session = stalled.session.or(resumed).filter(|_| is_nudged);
        match gate {
            None => self.session.clone_from(&session),
            Some(gate) => self.gates.forget_session(gate),
        }
        self.stalled = Some(Stalled { session, ..stalled });
    }
}

/// The gate whose reviewer takes the turns of this step. Whoever reviews has a session of its own.
const fn reviewed_at(step: Step) -> Option<Gate> {
    match step {
        Step::PlanReview => Some(Gate::PlanReview),
        Step::ProductReview => Some(Gate::ProductReview),
        Step::DevexReview => Some(Gate::DevexReview),
        Step::Workspace
        | Step::Setup
        | Step::Plan
        | Step::Implement
        | Step::Preflight
        | Step::Publish
        | Step::Checks
        | Step::Merge => None,
    }
}
