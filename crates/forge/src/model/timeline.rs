//! The history of an issue or pull, in order, with ids that only grow.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::issues::CloseReason;
use super::labels::Label;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use super::view::View;
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
        /// The repository of the commit (`owner/name`), if it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<String>,
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
        /// The repository of the commit (`owner/name`), if it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elsewhere: Option<String>,
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
    /// A commit of the pull as it is now. Not recorded: git has it.
    Committed {
        commit: Sha,
    },
    /// An opinion on the pull. Not recorded: it is kept as a review.
    Reviewed {
        review: u64,
    },
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
            | Self::ConvertedToDraft
            | Self::Committed { .. }
            | Self::Reviewed { .. } => None,
        }
    }

    /// The events endpoint leaves out what only the timeline shows.
    fn is_issue_event(&self) -> bool {
        !matches!(self, Self::Commented { .. } | Self::CrossReferenced { .. })
    }
}

operations! {
    /// Returns the timeline without comments and cross-references, oldest first.
    ListIssueEvents { number: u64, page: Page }
    /// Returns the timeline, oldest first.
    ListTimeline { number: u64, page: Page }
}

impl Operation for ListIssueEvents {
    type Reply = Listing<TimelineEntry>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<TimelineEntry>, Refusal> {
        let view = context.view();
        view.need_issues(Some(self.number))?;
        let is_shown =
            |entry: &&TimelineEntry| entry.event.is_issue_event() && view.shows(&entry.event);
        let timeline = &view.repo()?.issue(self.number)?.timeline;
        let events: Vec<_> = timeline.iter().filter(is_shown).collect();
        Ok(Listing::of(&events, self.page, |entry| view.without_hidden(entry)))
    }
}

impl Operation for ListTimeline {
    type Reply = Listing<TimelineEntry>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<TimelineEntry>, Refusal> {
        let view = context.view();
        view.need_issues(Some(self.number))?;
        let repo = view.repo()?;
        let issue = repo.issue(self.number)?;
        let timeline = issue.timeline.iter().filter(|entry| view.shows(&entry.event));
        let mut shown: Vec<TimelineEntry> =
            timeline.map(|entry| view.without_hidden(entry)).collect();
        if issue.pull.is_some() {
            let reviews = repo.reviews.values().filter(|review| review.number == self.number);
            shown.extend(reviews.map(|review| TimelineEntry {
                id: review.id,
                actor: review.author.clone(),
                at: review.at,
                event: TimelineEvent::Reviewed { review: review.id },
            }));
            shown.sort_by_key(|entry| entry.id);
            shown = among_commits(repo.commit_entries(self.number)?, shown);
        }
        Ok(Listing::of(&shown, self.page, Clone::clone))
    }
}

impl Repository {
    /// Returns the commits of a pull, oldest first, none before the one that it is made on.
    fn commit_entries(&self, number: u64) -> Result<Vec<TimelineEntry>, Refusal> {
        let commits = self.pull_split(number)?.commits;
        let mut latest = 0;
        let entries = commits.iter().map(|commit| {
            latest = commit.at.max(latest);
            let event = TimelineEvent::Committed { commit: commit.sha };
            TimelineEntry { id: 0, actor: commit.author.clone(), at: latest, event }
        });
        Ok(entries.collect())
    }
}

impl View<'_> {
    /// Returns whether an entry may be shown: not if it names an issue or a commit that the viewer
    /// cannot see.
    fn shows(self, event: &TimelineEvent) -> bool {
        if let TimelineEvent::Referenced { elsewhere: Some(repo), .. } = event {
            return self.sees_repository(repo);
        }
        event.reference().is_none_or(|other| self.sees_repository(&other.repo))
    }

    /// Returns an entry as the viewer sees it: without the commit that closed the issue if it belongs
    /// to a repository that the viewer cannot see.
    fn without_hidden(self, entry: &TimelineEntry) -> TimelineEntry {
        let mut entry = entry.clone();
        if let TimelineEvent::Closed { commit, elsewhere, .. } = &mut entry.event
            && elsewhere.as_ref().is_some_and(|repo| !self.sees_repository(repo))
        {
            (*commit, *elsewhere) = (None, None);
        }
        entry
    }

    fn sees_repository(self, repo: &str) -> bool {
        self.forge.repository_id(repo).is_some_and(|id| {
            id == self.repository_id() || self.permission_in(id) > Permission::None
        })
    }
}

/// Merges commits and events, each commit before the first event that is not older. Both are in
/// order.
fn among_commits(commits: Vec<TimelineEntry>, events: Vec<TimelineEntry>) -> Vec<TimelineEntry> {
    let mut merged = Vec::with_capacity(commits.len() + events.len());
    let mut commits = commits.into_iter().peekable();
    for event in events {
        while let Some(commit) = commits.next_if(|commit| commit.at <= event.at) {
            merged.push(commit);
        }
        merged.push(event);
    }
    merged.extend(commits);
    merged
}
