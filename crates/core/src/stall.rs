//! A turn that does not get anywhere: what was seen of it. The first one of a run is nudged in its own session, the next
//! begins a fresh one, at the last a person is asked.

use crate::run::Run;
use crate::steps::Step;
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
    /// The session as the turn left it; `None` for an agent without sessions.
    pub session: Option<String>,
}

impl Run {
    /// The stall that a turn of this step has to get over.
    #[must_use]
    pub fn stalled_at(&self, step: Step) -> Option<&Stalled> {
        self.stalled.as_ref().filter(|stalled| stalled.step == step)
    }
}
