//! People who tie issues together and apart: blockers, parents and children.

use crate::town::{OWNER, Town};
use ralph_forge::RelationCall;

impl Town {
    /// Puts another issue before this one or below it, or takes one away from there.
    pub(super) fn relate_anew(&mut self, number: u64) {
        let other = self.prng.between(1, self.issues);
        let Some(id) = self.issue_id(other) else { return };
        let call = match self.prng.below(4) {
            0 => RelationCall::AddBlockedBy { number, blocker_id: id },
            1 => RelationCall::RemoveBlockedBy { number, blocker_id: id },
            2 => RelationCall::AddSubIssue { number, child_id: id, replace_parent: true },
            _ => RelationCall::RemoveSubIssue { number, child_id: id },
        };
        self.act(OWNER, call);
    }
}
