//! Which issue blocks which. Cycles are possible here, as on GitHub.

use super::event::{EventKind, LinkAction};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::repository::Availability;
use super::timeline::TimelineEvent;
use super::turn::{IssueKey, Turn};

impl Turn<'_> {
    /// Where the feature is off, its endpoints answer as if they did not exist.
    pub(super) fn need_dependencies(&self) -> Result<(), Refusal> {
        match self.repo()?.settings.dependencies {
            Availability::On => Ok(()),
            Availability::NotFound => Err(Refusal::not_found()),
            Availability::Gone => {
                Err(Refusal::gone("Issue dependencies are disabled for this repository"))
            }
        }
    }

    pub(super) fn add_blocked_by(&mut self, number: u64, blocker_id: u64) -> Response {
        let (blocked, blocker) = self.dependency(number, blocker_id)?;
        if blocked == blocker {
            return Err(Refusal::unprocessable("An issue cannot be blocked by itself"));
        }
        if self.issue_at(blocked)?.blocked_by.contains(&blocker) {
            return Err(Refusal::unprocessable("Dependency already exists"));
        }
        self.issue_at_mut(blocked)?.blocked_by.push(blocker);
        self.issue_at_mut(blocker)?.blocking.push(blocked);
        let (blocked_name, blocker_name) = (self.reference(blocked)?, self.reference(blocker)?);
        self.record(blocked, TimelineEvent::BlockedByAdded { blocker: blocker_name.clone() })?;
        self.record(blocker, TimelineEvent::BlockingAdded { blocked: blocked_name.clone() })?;
        let action = LinkAction::Added;
        let (blocked_by, blocking) = (blocked_name, blocker_name);
        self.emit(EventKind::Dependency { blocked: blocked_by, blocking, action });
        Ok(Reply::Issue(Box::new(self.issue_view(blocked)?)))
    }

    pub(super) fn remove_blocked_by(&mut self, number: u64, blocker_id: u64) -> Response {
        let (blocked, blocker) = self.dependency(number, blocker_id)?;
        if !self.issue_at(blocked)?.blocked_by.contains(&blocker) {
            return Err(Refusal::not_found());
        }
        self.issue_at_mut(blocked)?.blocked_by.retain(|key| *key != blocker);
        self.issue_at_mut(blocker)?.blocking.retain(|key| *key != blocked);
        let (blocked_name, blocker_name) = (self.reference(blocked)?, self.reference(blocker)?);
        self.record(blocked, TimelineEvent::BlockedByRemoved { blocker: blocker_name.clone() })?;
        self.record(blocker, TimelineEvent::BlockingRemoved { blocked: blocked_name.clone() })?;
        let action = LinkAction::Removed;
        let kind = EventKind::Dependency { blocked: blocked_name, blocking: blocker_name, action };
        self.emit(kind);
        Ok(Reply::Issue(Box::new(self.issue_view(blocked)?)))
    }

    fn dependency(&self, number: u64, blocker: u64) -> Result<(IssueKey, IssueKey), Refusal> {
        self.need_dependencies()?;
        self.issue(number)?;
        self.need(Permission::Triage)?;
        Ok((self.key(number), self.issue_by_id(blocker)?))
    }
}
