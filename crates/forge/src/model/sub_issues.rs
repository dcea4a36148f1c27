//! Parents and their sub-issues: a tree, so one parent at most and no cycles.

use super::behaviour::Behaviour;
use super::event::{EventKind, LinkAction};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::timeline::TimelineEvent;
use super::turn::{IssueKey, Turn};

/// GitHub's limit on the sub-issues of one parent.
const SUB_ISSUES_MAX: usize = 100;

impl Turn<'_> {
    pub(super) fn add_sub_issue(
        &mut self,
        number: u64,
        child_id: u64,
        replace_parent: bool,
    ) -> Response {
        self.issue(number)?;
        self.need(Permission::Triage)?;
        let parent = self.key(number);
        let child = self.issue_by_id(child_id)?;
        let refused = |words: &str| Err(Refusal::unprocessable(words));
        if self.issue_at(parent)?.sub_issues.contains(&child) {
            return refused("Issue may not contain duplicate sub-issues");
        }
        if self.holds(Behaviour::SubIssuesHaveNoCycle) && self.descends_from(parent, child) {
            return refused("Sub issue may not create a circular dependency");
        }
        if self.issue_at(parent)?.sub_issues.len() >= SUB_ISSUES_MAX {
            return refused("Parent cannot have more than 100 sub-issues");
        }
        match self.issue_at(child)?.parent {
            Some(_old) if !self.holds(Behaviour::SubIssuesHaveOneParent) => {}
            Some(old) if replace_parent => self.unlink_sub_issue(old, child)?,
            Some(_old) => return refused("Sub issue may only have one parent"),
            None => {}
        }
        self.issue_at_mut(parent)?.sub_issues.push(child);
        self.issue_at_mut(child)?.parent = Some(parent);
        let (parent_name, child_name) = (self.reference(parent)?, self.reference(child)?);
        self.record(parent, TimelineEvent::SubIssueAdded { child: child_name.clone() })?;
        self.record(child, TimelineEvent::ParentAdded { parent: parent_name.clone() })?;
        let action = LinkAction::Added;
        self.emit(EventKind::SubIssue { parent: parent_name, child: child_name, action });
        Ok(Reply::Issue(Box::new(self.issue_view(parent)?)))
    }

    pub(super) fn remove_sub_issue(&mut self, number: u64, child_id: u64) -> Response {
        self.issue(number)?;
        self.need(Permission::Triage)?;
        let parent = self.key(number);
        let child = self.issue_by_id(child_id)?;
        if !self.issue_at(parent)?.sub_issues.contains(&child) {
            return Err(Refusal::not_found());
        }
        self.unlink_sub_issue(parent, child)?;
        Ok(Reply::Issue(Box::new(self.issue_view(parent)?)))
    }

    fn unlink_sub_issue(&mut self, parent: IssueKey, child: IssueKey) -> Result<(), Refusal> {
        self.issue_at_mut(parent)?.sub_issues.retain(|key| *key != child);
        self.issue_at_mut(child)?.parent = None;
        let (parent_name, child_name) = (self.reference(parent)?, self.reference(child)?);
        self.record(parent, TimelineEvent::SubIssueRemoved { child: child_name.clone() })?;
        self.record(child, TimelineEvent::ParentRemoved { parent: parent_name.clone() })?;
        let action = LinkAction::Removed;
        let kind = EventKind::SubIssue { parent: parent_name, child: child_name, action };
        self.emit_in(parent.repository, kind);
        Ok(())
    }

    fn descends_from(&self, issue: IssueKey, ancestor: IssueKey) -> bool {
        let parent_of = |key: &IssueKey| self.issue_at(*key).ok().and_then(|issue| issue.parent);
        std::iter::successors(Some(issue), parent_of).any(|key| key == ancestor)
    }
}
