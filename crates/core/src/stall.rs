//! Stalls: turns that make no progress. The first one of a run is nudged in its own session, the next begins a fresh
//! one, and finally a person is asked.

use crate::run::Run;
use crate::steps::Step;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// The behaviour of a turn without progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    /// It did not write, change a file or use the processor.
    Idle {
        limit: Span,
    },
    /// The same, while a program that it had started was still running.
    HungTool {
        name: String,
        limit: Span,
    },
    /// It changed one file over and over and ran nothing in between.
    EditLoop {
        file: String,
        edits: u32,
    },
    /// It wrote only lines that it had just written.
    RepeatedOutput {
        limit: Span,
    },
    RunawayOutput {
        bytes: u64,
    },
    /// It was still working when its time was over.
    Overtime {
        limit: Span,
    },
}

/// A possible stall, reported at half of its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspicion {
    pub seen: Stall,
    pub since: Time,
}

/// The stall that the next turn of this step is informed about.
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
    /// Returns the stall that a turn of this step has to overcome.
    #[must_use]
    pub fn stalled_at(&self, step: Step) -> Option<&Stalled> {
        self.stalled.as_ref().filter(|stalled| stalled.step == step)
    }
}
