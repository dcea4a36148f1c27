//! What happened to an issue or pull, in order, with ids that only grow.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::issues::CloseReason;
use super::labels::Label;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::repository::Repository;
use super::turn::{IssueKey, Turn};
use crate::git::sha::Sha;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    pub id: u64,
    pub actor: String,
    /// Unix seconds.
    pub at: u64,
    pub event: TimelineEvent,
}

/// An issue or pull named from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueReference {
    /// `owner/name`.
    pub repo: String,
    pub number: u64,
    /// The database id.
    pub id: u64,
    pub is_pull: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimelineEvent {
    Labeled(Arc<Label>),
    Unlabeled(Arc<Label>),
    /// `commit` only when a commit message closed it: neither when a pull did nor a person.
    Closed {
        reason: CloseReason,
        commit: Option<Sha>,
    },
    Reopened,
    Renamed {
        from: String,
        to: String,
    },
    Commented {
        comment: u64,
    },
    /// Another issue or pull names this one in its body or a comment.
    CrossReferenced {
        source: IssueReference,
    },
    /// A published commit names this one.
    Referenced {
        commit: Sha,
    },
    SubIssueAdded {
        child: IssueReference,
    },
    SubIssueRemoved {
        child: IssueReference,
    },
    ParentAdded {
        parent: IssueReference,
    },
    ParentRemoved {
        parent: IssueReference,
    },
    BlockedByAdded {
        blocker: IssueReference,
    },
    BlockedByRemoved {
        blocker: IssueReference,
    },
    BlockingAdded {
        blocked: IssueReference,
    },
    BlockingRemoved {
        blocked: IssueReference,
    },
    Merged {
        commit: Sha,
    },
    HeadDeleted,
    HeadForcePushed,
    BaseChanged {
        from: String,
        to: String,
    },
    ReadyForReview,
    ConvertedToDraft,
}

impl TimelineEvent {
    /// The other issue that an entry names, if it names one.
    pub(crate) fn reference(&self) -> Option<&IssueReference> {
        match self {
            Self::CrossReferenced { source: other }
            | Self::SubIssueAdded { child: other }
            | Self::SubIssueRemoved { child: other }
            | Self::ParentAdded { parent: other }
            | Self::ParentRemoved { parent: other }
            | Self::BlockedByAdded { blocker: other }
            | Self::BlockedByRemoved { blocker: other }
            | Self::BlockingAdded { blocked: other }
            | Self::BlockingRemoved { blocked: other } => Some(other),
            Self::Labeled(_)
            | Self::Unlabeled(_)
            | Self::Closed { .. }
            | Self::Reopened
            | Self::Renamed { .. }
            | Self::Commented { .. }
            | Self::Referenced { .. }
            | Self::Merged { .. }
            | Self::HeadDeleted
            | Self::HeadForcePushed
            | Self::BaseChanged { .. }
            | Self::ReadyForReview
            | Self::ConvertedToDraft => None,
        }
    }

    /// The events endpoint leaves out what only the timeline shows.
    fn is_issue_event(&self) -> bool {
        !matches!(self, Self::Commented { .. } | Self::CrossReferenced { .. })
    }
}

impl Turn<'_> {
    pub(super) fn record(&mut self, key: IssueKey, event: TimelineEvent) -> Result<(), Refusal> {
        let (id, actor, at) = (self.forge.next_id(), self.actor.clone(), self.now);
        self.issue_at_mut(key)?.timeline.push(TimelineEntry { id, actor, at, event });
        Ok(())
    }

    pub(super) fn reference(&self, key: IssueKey) -> Result<IssueReference, Refusal> {
        let issue = self.issue_at(key)?;
        Ok(IssueReference {
            repo: self.repo_at(key.repository).map(Repository::full_name)?,
            number: key.number,
            id: issue.id,
            is_pull: issue.pull.is_some(),
        })
    }

    pub(super) fn issue_timeline(&self, number: u64, page: Page) -> Response {
        let timeline = &self.issue(number)?.timeline;
        let shown: Vec<_> = timeline.iter().filter(|entry| self.shows(&entry.event)).collect();
        Ok(Reply::Timeline(Listing::of(&shown, page, |entry| (*entry).clone())))
    }

    /// Whether an entry may be shown: not when it speaks of what the actor cannot see.
    fn shows(&self, event: &TimelineEvent) -> bool {
        let Some(other) = event.reference() else { return true };
        let repository = self.forge.repository_id(&other.repo);
        repository.is_some_and(|id| {
            id == self.repository_id() || self.permission_in(id) > Permission::None
        })
    }

    pub(super) fn issue_events(&self, number: u64, page: Page) -> Response {
        let timeline = &self.issue(number)?.timeline;
        let is_shown =
            |entry: &&TimelineEntry| entry.event.is_issue_event() && self.shows(&entry.event);
        let events: Vec<_> = timeline.iter().filter(is_shown).collect();
        Ok(Reply::Timeline(Listing::of(&events, page, |entry| (*entry).clone())))
    }
}
