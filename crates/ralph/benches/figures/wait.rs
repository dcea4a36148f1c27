//! Waiting for something to become so, within bounds.

use crate::{Outcome, clock};
use std::time::Duration;

/// The time between two looks: short enough not to be part of what is measured, seldom enough to leave the
/// processors to what is.
const LOOK: Duration = Duration::from_millis(10);

/// Looks until there is something to see; an error that says what was waited for after `limit`.
pub(crate) fn until<T>(
    what: &str,
    limit: Duration,
    mut look: impl FnMut() -> Outcome<Option<T>>,
) -> Outcome<T> {
    let began = clock::now();
    loop {
        if let Some(seen) = look()? {
            return Ok(seen);
        }
        if began.elapsed() > limit {
            return Err(format!("{what}: not within {limit:?}").into());
        }
        clock::pass(LOOK);
    }
}
