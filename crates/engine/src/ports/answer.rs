//! The answer of the outside world: everything that may become of a request.

use ralph_core::time::Time;

/// The result of asking for a change, or of one request to the forge: the one type for all that may become of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T, R = Refusal> {
    Happened(T),
    /// Understood and declined. Asking again unchanged is useless.
    Refused(R),
    /// Never sent, or turned away unread. Nothing happened.
    Later {
        until: Option<Time>,
        why: String,
    },
    /// No answer. It may have happened.
    Unknown {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The thing to change does not exist.
    Missing,
    /// The thing to create already exists.
    Exists,
    /// It was only looked up, and never happened.
    NeverHappened,
    Other,
}

impl<T> Answer<T> {
    #[must_use]
    pub fn refused(kind: RefusalKind, message: &str) -> Self {
        Self::Refused(Refusal { kind, message: message.to_owned() })
    }
}

impl<T> Answer<T> {
    /// A refusal of Ralph's own, or one that nothing more is known about.
    #[must_use]
    pub fn declined(message: String) -> Self {
        Self::Refused(Refusal { kind: RefusalKind::Other, message })
    }
}

impl<T, R> Answer<T, R> {
    /// Turns the value of a request that was carried out into another one.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Answer<U, R> {
        match self {
            Self::Happened(value) => Answer::Happened(into(value)),
            Self::Refused(refusal) => Answer::Refused(refusal),
            Self::Later { until, why } => Answer::Later { until, why },
            Self::Unknown { why } => Answer::Unknown { why },
        }
    }
}
