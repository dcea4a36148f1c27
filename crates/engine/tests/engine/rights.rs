//! A body that makes other issues wait counts only if its author has write access.

use crate::hand_forge::{QUEUED, STRANGER};
use crate::harness::{Harness, key};

#[test]
fn a_blocks_section_counts_only_when_its_author_has_write_access() {
    for (author, is_blocked) in [("alice", true), (STRANGER, false)] {
        let mut harness = Harness::new();
        harness.forge.person_opens(author, &key(3), "First", "## Blocks\n- [ ] #7\n");
        harness.forge.opens(&key(7), "Second", "");
        harness.forge.labels(&key(7), QUEUED);
        harness.reads();
        let blocked = harness.managed(7).blocked.clone();
        assert_eq!(blocked.is_some_and(|blocked| blocked.by == [key(3)]), is_blocked, "{author}");
    }
}
