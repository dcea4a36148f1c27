//! The answers of a forge that is moved by hand.

use ralph_core::time::Time;

/// The way in which changes are answered from now on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ReplyMode {
    #[default]
    Fine,
    Refuses,
    /// Turned away unread, until this moment if there is one.
    Later(Option<Time>),
    /// The change is lost and so is the answer.
    LosesChange,
    /// The change is made and the answer is lost.
    LosesAnswer,
    /// The forge says that it already exists.
    Exists,
}
