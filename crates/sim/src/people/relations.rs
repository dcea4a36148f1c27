//! People who tie issues together and apart: blockers, parents and children.

use crate::world::{OWNER, SimWorld};
use ralph_core::ids::IssueKey;
use ralph_forge::{
    AddBlockedBy, AddSubIssue, ListBlockedBy, ListSubIssues, Page, RemoveBlockedBy, RemoveSubIssue,
};

impl SimWorld {
    /// Puts another issue before this one or below it, or takes one away from there.
    pub(super) fn change_relation(&mut self, key: &IssueKey) {
        let (repo, number, page) = (&key.repo, key.number, Page::largest());
        let Some(other) = self.prng.pick(&self.people.issues).cloned() else { return };
        let Some(id) = self.forge.issue_id(&other) else { return };
        let (is_child, is_new) = (self.prng.chance(500), self.prng.chance(500));
        if is_child {
            let list = ListSubIssues { number, page };
            match self.forge.first_related(key, list).filter(|_| !is_new) {
                Some(child_id) => drop(self.act(OWNER, repo, RemoveSubIssue { number, child_id })),
                None => {
                    let call = AddSubIssue { number, child_id: id, replace_parent: true };
                    self.act(OWNER, repo, call);
                }
            }
        } else {
            let list = ListBlockedBy { number, page };
            match self.forge.first_related(key, list).filter(|_| !is_new) {
                Some(blocker_id) => {
                    drop(self.act(OWNER, repo, RemoveBlockedBy { number, blocker_id }));
                }
                None => drop(self.act(OWNER, repo, AddBlockedBy { number, blocker_id: id })),
            }
        }
    }
}
