//! Parents and their sub-issues: a tree, so one parent at most and no cycles.

use super::context::Context;
use super::event::{EventKind, LinkAction};
use super::issue_view::IssueView;
use super::issues::IssueKey;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::request::{Operation, operations};
use super::timeline::TimelineEvent;

/// GitHub's limit on the sub-issues of one parent.
const SUB_ISSUES_MAX: usize = 100;

operations! {
    /// Returns the sub-issues of an issue, in the order of adding.
    ListSubIssues { number: u64, page: Page }
    GetParent { number: u64 }
    /// Returns the parent. The child is named by database id, since it may be in another repository.
    AddSubIssue { number: u64, child_id: u64, replace_parent: bool }
    /// Returns the parent.
    RemoveSubIssue { number: u64, child_id: u64 }
}

impl Operation for ListSubIssues {
    type Reply = Listing<IssueView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<IssueView>, Refusal> {
        let view = context.view();
        Ok(view.related(&view.repo()?.issue(self.number)?.sub_issues, self.page))
    }
}

impl Operation for GetParent {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let view = context.view();
        let parent = view.repo()?.issue(self.number)?.parent.filter(|parent| view.sees(*parent));
        view.issue(parent.ok_or_else(|| Refusal::absent("No parent issue found"))?)
    }
}

impl Operation for AddSubIssue {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let parent = context.key(self.number);
        context.issue_at(parent)?;
        context.need(Permission::Triage)?;
        let child = context.view().issue_by_id(self.child_id)?;
        let refused = |words: &str| Err(Refusal::unprocessable(words));
        if context.issue_at(parent)?.sub_issues.contains(&child) {
            return refused("Issue may not contain duplicate sub-issues");
        }
        let parent_of = |key: &IssueKey| context.issue_at(*key).ok().and_then(|issue| issue.parent);
        if std::iter::successors(Some(parent), parent_of).any(|key| key == child) {
            return refused("Sub issue may not create a circular dependency");
        }
        if context.issue_at(parent)?.sub_issues.len() >= SUB_ISSUES_MAX {
            return refused("Parent cannot have more than 100 sub-issues");
        }
        match context.issue_at(child)?.parent {
            Some(old) if self.replace_parent => context.unlink_sub_issue(old, child)?,
            Some(_old) => return refused("Sub issue may only have one parent"),
            None => {}
        }
        context.issue_at_mut(parent)?.sub_issues.push(child);
        context.issue_at_mut(child)?.parent = Some(parent);
        let parent_name = context.forge.reference_to(parent)?;
        let child_name = context.forge.reference_to(child)?;
        context.record(parent, TimelineEvent::SubIssueAdded { child: child_name.clone() })?;
        context.record(child, TimelineEvent::ParentAdded { parent: parent_name.clone() })?;
        let action = LinkAction::Added;
        context.emit(EventKind::SubIssue { parent: parent_name, child: child_name, action });
        context.view().issue(parent)
    }
}

impl Operation for RemoveSubIssue {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let parent = context.key(self.number);
        context.issue_at(parent)?;
        context.need(Permission::Triage)?;
        let child = context.view().issue_by_id(self.child_id)?;
        if !context.issue_at(parent)?.sub_issues.contains(&child) {
            return Err(Refusal::not_found());
        }
        context.unlink_sub_issue(parent, child)?;
        context.view().issue(parent)
    }
}

impl Context<'_> {
    fn unlink_sub_issue(&mut self, parent: IssueKey, child: IssueKey) -> Result<(), Refusal> {
        self.issue_at_mut(parent)?.sub_issues.retain(|key| *key != child);
        self.issue_at_mut(child)?.parent = None;
        let parent_name = self.forge.reference_to(parent)?;
        let child_name = self.forge.reference_to(child)?;
        self.record(parent, TimelineEvent::SubIssueRemoved { child: child_name.clone() })?;
        self.record(child, TimelineEvent::ParentRemoved { parent: parent_name.clone() })?;
        let action = LinkAction::Removed;
        let kind = EventKind::SubIssue { parent: parent_name, child: child_name, action };
        self.emit_in(parent.repository, kind);
        Ok(())
    }
}
