//! What a forge that is moved by hand makes of the changes it is asked for.

use ralph_core::time::Time;

/// What becomes of changes from now on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mood {
    #[default]
    Fine,
    Refuses,
    /// Turned away unread, until this moment if one is named.
    Later(Option<Time>),
    /// The change is lost and so is the answer.
    LosesChange,
    /// The change is made and the answer is lost.
    LosesAnswer,
    /// The forge says that there is such a thing already.
    Exists,
}
