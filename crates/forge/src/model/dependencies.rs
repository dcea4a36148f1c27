//! Dependencies between issues. Cycles are possible here, as on GitHub.

use super::context::Context;
use super::event::{EventKind, LinkAction};
use super::issue_view::IssueView;
use super::issues::IssueKey;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Availability;
use super::request::{Operation, operations};
use super::timeline::TimelineEvent;
use super::view::View;

operations! {
    /// Returns the issues that block this one, in the order of adding.
    ListBlockedBy { number: u64, page: Page }
    /// Returns the issues that this one blocks, in the order of adding.
    ListBlocking { number: u64, page: Page }
    /// Returns the blocked issue. The other one is named by database id, since it may be in another
    /// repository.
    AddBlockedBy { number: u64, blocker_id: u64 }
    /// Returns the issue that was blocked.
    RemoveBlockedBy { number: u64, blocker_id: u64 }
}

impl View<'_> {
    /// Refuses if the feature is off: its endpoints answer as if they did not exist.
    fn need_dependencies(self) -> Result<(), Refusal> {
        match self.repo()?.settings.dependencies {
            Availability::On => Ok(()),
            Availability::NotFound => Err(Refusal::not_found()),
            Availability::Gone => {
                Err(Refusal::gone("Issue dependencies are disabled for this repository"))
            }
        }
    }

    /// Returns the blocked issue and its blocker, if the viewer may change their dependency.
    fn dependency(self, number: u64, blocker: u64) -> Result<(IssueKey, IssueKey), Refusal> {
        self.need_dependencies()?;
        self.repo()?.issue(number)?;
        self.need(Permission::Triage)?;
        Ok((self.key(number), self.issue_by_id(blocker)?))
    }
}

impl Operation for ListBlockedBy {
    type Reply = Listing<IssueView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<IssueView>, Refusal> {
        let view = context.view();
        view.need_dependencies()?;
        Ok(view.related(&view.repo()?.issue(self.number)?.blocked_by, self.page))
    }
}

impl Operation for ListBlocking {
    type Reply = Listing<IssueView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<IssueView>, Refusal> {
        let view = context.view();
        view.need_dependencies()?;
        Ok(view.related(&view.repo()?.issue(self.number)?.blocking, self.page))
    }
}

impl Operation for AddBlockedBy {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let (blocked, blocker) = context.view().dependency(self.number, self.blocker_id)?;
        if blocked == blocker {
            return Err(Refusal::unprocessable("An issue cannot be blocked by itself"));
        }
        if context.issue_at(blocked)?.blocked_by.contains(&blocker) {
            return Err(Refusal::unprocessable("Dependency already exists"));
        }
        context.issue_at_mut(blocked)?.blocked_by.push(blocker);
        context.issue_at_mut(blocker)?.blocking.push(blocked);
        let added = context.forge.reference_to(blocker)?;
        context.record(blocked, TimelineEvent::BlockedByAdded { blocker: added })?;
        let added = context.forge.reference_to(blocked)?;
        context.record(blocker, TimelineEvent::BlockingAdded { blocked: added })?;
        context.announce_dependency(blocked, blocker, LinkAction::Added)?;
        context.view().issue(blocked)
    }
}

impl Operation for RemoveBlockedBy {
    type Reply = IssueView;

    fn run(self, context: &mut Context<'_>) -> Result<IssueView, Refusal> {
        let (blocked, blocker) = context.view().dependency(self.number, self.blocker_id)?;
        if !context.issue_at(blocked)?.blocked_by.contains(&blocker) {
            return Err(Refusal::not_found());
        }
        context.issue_at_mut(blocked)?.blocked_by.retain(|key| *key != blocker);
        context.issue_at_mut(blocker)?.blocking.retain(|key| *key != blocked);
        let removed = context.forge.reference_to(blocker)?;
        context.record(blocked, TimelineEvent::BlockedByRemoved { blocker: removed })?;
        let removed = context.forge.reference_to(blocked)?;
        context.record(blocker, TimelineEvent::BlockingRemoved { blocked: removed })?;
        context.announce_dependency(blocked, blocker, LinkAction::Removed)?;
        context.view().issue(blocked)
    }
}

impl Context<'_> {
    fn announce_dependency(
        &mut self,
        blocked: IssueKey,
        blocker: IssueKey,
        action: LinkAction,
    ) -> Result<(), Refusal> {
        let (blocked, blocking) =
            (self.forge.reference_to(blocked)?, self.forge.reference_to(blocker)?);
        self.emit(EventKind::Dependency { blocked, blocking, action });
        Ok(())
    }
}
