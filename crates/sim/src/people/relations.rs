//! People who tie issues together and apart: blockers, parents and children.

use crate::town::{OWNER, Town};
use ralph_core::ids::IssueKey;
use ralph_forge::{Page, RelationCall, Reply};

impl Town {
    /// Puts another issue before this one or below it, or takes one away from there.
    pub(super) fn relate_anew(&mut self, key: &IssueKey) {
        let (number, page) = (key.number, Page::largest());
        let Some(other) = self.prng.pick(&self.issues).cloned() else { return };
        let Some(id) = self.issue_id(&other) else { return };
        let (is_child, is_new) = (self.prng.chance(500), self.prng.chance(500));
        let call = if is_child {
            let list = RelationCall::SubIssues { number, page };
            match self.first_related(key, list).filter(|_| !is_new) {
                Some(child_id) => RelationCall::RemoveSubIssue { number, child_id },
                None => RelationCall::AddSubIssue { number, child_id: id, replace_parent: true },
            }
        } else {
            let list = RelationCall::BlockedBy { number, page };
            match self.first_related(key, list).filter(|_| !is_new) {
                Some(blocker_id) => RelationCall::RemoveBlockedBy { number, blocker_id },
                None => RelationCall::AddBlockedBy { number, blocker_id: id },
            }
        };
        self.act(OWNER, &key.repo, call);
    }

    fn first_related(&mut self, key: &IssueKey, list: RelationCall) -> Option<u64> {
        match self.look(&key.repo, list) {
            Some(Reply::Issues(list)) => list.items.first().map(|view| view.id),
            _other => None,
        }
    }
}
