//! A body that makes other issues wait counts only if its author has write access.

use crate::desk::{Desk, key};
use crate::hand_forge::{QUEUED, STRANGER};

#[test]
fn a_blocks_section_counts_only_when_its_author_has_write_access() {
    for (author, is_blocked) in [("alice", true), (STRANGER, false)] {
        let mut desk = Desk::new();
        desk.forge.is_opened_by(author, &key(3), "First", "## Blocks\n- [ ] #7\n");
        desk.forge.opens(&key(7), "Second", "");
        desk.forge.labels(&key(7), QUEUED);
        desk.reads();
        let blocked = desk.managed(7).blocked.clone();
        assert_eq!(blocked.is_some_and(|blocked| blocked.by == [key(3)]), is_blocked, "{author}");
    }
}
