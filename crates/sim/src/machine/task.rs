//! The task that Ralph is at the forge for: one effect or one question, and the results of its requests so far.

use ralph_core::time::{Span, Time};

#[derive(Debug, Default)]
pub(crate) struct Task {
    /// The key of the effect; none for a question.
    pub(crate) effect: Option<String>,
    /// The start, on Ralph's clock.
    pub(crate) began: Time,
    /// The real end of the last change it asked for.
    pub(crate) end: Option<RequestEnd>,
    /// A lagging replica answered.
    pub(crate) is_stale: bool,
    /// A read of it that was refused for good.
    pub(crate) refused: Option<String>,
    /// The time that answers have kept it waiting.
    pub(crate) waited: Span,
}

impl Task {
    /// The delay of its result, in milliseconds.
    pub(crate) fn waited_millis(&self) -> u64 {
        u64::try_from(self.waited.0).unwrap_or(0)
    }
}

/// The real end of a request for a change, however the client reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestEnd {
    /// The forge has seen nothing of it.
    NotSent,
    /// Limits or credentials: the forge did not look at it.
    TurnedAway,
    Refused,
    Done,
    /// Done, and the answer cannot be read.
    Garbled,
    /// No answer, or an error of the server: only the forge knows.
    Unclear,
}
