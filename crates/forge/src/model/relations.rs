//! Calls about sub-issues and dependencies.

use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::{IssueKey, Turn};

/// Others are named by database id, not by number, since they may be in another repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationCall {
    /// → `Issues`, in the order of adding
    SubIssues { number: u64, page: Page },
    /// → `Issue`: the parent
    AddSubIssue { number: u64, child_id: u64, replace_parent: bool },
    /// → `Issue`: the parent
    RemoveSubIssue { number: u64, child_id: u64 },
    /// → `Issue`
    Parent { number: u64 },
    /// → `Issues`, in the order of adding
    BlockedBy { number: u64, page: Page },
    /// → `Issues`, in the order of adding
    Blocking { number: u64, page: Page },
    /// → `Issue`: the blocked one
    AddBlockedBy { number: u64, blocker_id: u64 },
    /// → `Issue`: the blocked one
    RemoveBlockedBy { number: u64, blocker_id: u64 },
}

impl Turn<'_> {
    pub(super) fn relation_call(&mut self, call: RelationCall) -> Response {
        match call {
            RelationCall::SubIssues { number, page } => {
                self.related(&self.issue(number)?.sub_issues, page)
            }
            RelationCall::AddSubIssue { number, child_id, replace_parent } => {
                self.add_sub_issue(number, child_id, replace_parent)
            }
            RelationCall::RemoveSubIssue { number, child_id } => {
                self.remove_sub_issue(number, child_id)
            }
            RelationCall::Parent { number } => {
                let parent = self.issue(number)?.parent.filter(|parent| self.sees(*parent));
                let parent = parent.ok_or_else(|| Refusal::absent("No parent issue found"))?;
                Ok(Reply::Issue(Box::new(self.issue_view(parent)?)))
            }
            RelationCall::BlockedBy { number, page } => {
                self.need_dependencies()?;
                self.related(&self.issue(number)?.blocked_by, page)
            }
            RelationCall::Blocking { number, page } => {
                self.need_dependencies()?;
                self.related(&self.issue(number)?.blocking, page)
            }
            RelationCall::AddBlockedBy { number, blocker_id } => {
                self.add_blocked_by(number, blocker_id)
            }
            RelationCall::RemoveBlockedBy { number, blocker_id } => {
                self.remove_blocked_by(number, blocker_id)
            }
        }
    }

    fn related(&self, keys: &[IssueKey], page: Page) -> Response {
        let seen: Vec<IssueKey> = keys.iter().copied().filter(|key| self.sees(*key)).collect();
        let seen: Vec<_> =
            seen.iter().filter_map(|key| Some((*key, self.issue_at(*key).ok()?))).collect();
        Ok(Reply::Issues(Listing::of(&seen, page, |(key, issue)| self.view_of(*key, issue))))
    }

    pub(super) fn sees(&self, key: IssueKey) -> bool {
        self.permission_in(key.repository) > Permission::None
    }

    /// The issue with this database id, if the actor can see it.
    pub(super) fn issue_by_id(&self, id: u64) -> Result<IssueKey, Refusal> {
        let key = self.forge.issue_ids.get(&id).copied().filter(|key| self.sees(*key));
        key.ok_or_else(Refusal::not_found)
    }
}
