//! The one place that waits: for something that can be seen, and not for ever.

use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a busy machine; a test that passes never waits for it.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);
/// A forge allows 5000 requests an hour, which have to last until the deadline.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Looks again and again until something is there.
pub(crate) fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    until_within(DEADLINE, what, look)
}

/// The same for something that may take longer.
#[expect(clippy::disallowed_methods, reason = "this is the one place that waits")]
pub(crate) fn until_within<T>(
    deadline: Duration,
    what: &str,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < deadline, "waited in vain for this: {what}");
        thread::park_timeout(LOOK_EVERY);
    }
}
