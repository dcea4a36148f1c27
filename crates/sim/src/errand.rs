//! What Ralph is at the forge for: one effect or one question, and what its requests have met so far.

use ralph_core::time::{Span, Time};

#[derive(Debug, Default)]
pub(crate) struct Errand {
    /// The key of the effect; none for a question.
    pub(crate) effect: Option<String>,
    /// When it began, on Ralph's clock.
    pub(crate) began: Time,
    /// What really became of the last change it asked for.
    pub(crate) fate: Option<Fate>,
    /// A lagging replica answered.
    pub(crate) is_stale: bool,
    /// A read of it that was refused for good.
    pub(crate) refused: Option<String>,
    /// How long answers have kept it waiting.
    pub(crate) waited: Span,
}

impl Errand {
    /// How much later its end is heard of, in milliseconds.
    pub(crate) fn waited_millis(&self) -> u64 {
        u64::try_from(self.waited.0).unwrap_or(0)
    }
}

/// What really became of a request for a change, whatever the client makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
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
