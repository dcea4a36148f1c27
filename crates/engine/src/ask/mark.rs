//! The mark of the Ralph that works in a repository.

use crate::ports::FoundMark;
use ralph_core::repo::SeenMark;
use ralph_core::words;

/// A mark as it was found, with its content as far as that can be read.
pub(crate) fn seen(found: Option<FoundMark>) -> Option<SeenMark> {
    found.map(|found| SeenMark { commit: found.commit, mark: words::parse_mark(&found.message) })
}
