//! The history of an issue or pull: its events, and its timeline which also has comments and
//! cross-references.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::comment::CommentJson;
use super::commit::GitCommitJson;
use super::issue::{close_reason, state, state_reason};
use super::repository::Extent;
use super::review::ReviewJson;
use super::{RenderContext, entries, object};
use crate::git::commit::Commit;
use crate::git::sha::Sha;
use crate::http::moment::Moment;
use crate::model::comments::CommentView;
use crate::model::issue_view::IssueView;
use crate::model::labels::Label;
use crate::model::reviews::ReviewView;
use crate::model::timeline::{TimelineEntry, TimelineEvent};

/// An entry with what it speaks of, looked up beforehand.
pub(in crate::http) struct TimelineJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) entry: &'a TimelineEntry,
    pub(in crate::http) subject: &'a Subject,
}

/// The thing that an entry refers to.
#[derive(Debug)]
pub(in crate::http) enum Subject {
    Nothing,
    Comment(Box<CommentView>),
    Issue(Box<IssueView>),
    Commit(Arc<Commit>),
    Review(Box<ReviewView>),
}

impl Serialize for TimelineJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match (&self.entry.event, self.subject) {
            (TimelineEvent::Commented { .. }, Subject::Comment(comment)) => {
                self.commented(&mut map, comment)?;
            }
            (TimelineEvent::CrossReferenced { .. }, Subject::Issue(issue)) => {
                self.cross_referenced(&mut map, issue)?;
            }
            (event, Subject::Issue(issue)) => {
                self.head(&mut map, None)?;
                let reference = ReferenceJson { render: self.render, issue };
                map.serialize_entry(role(event), &reference)?;
            }
            (_committed, Subject::Commit(commit)) => {
                map.serialize_entry("event", "committed")?;
                let (render, repo) = (self.render, self.repo);
                GitCommitJson { render, repo, commit }.entries(&mut map)?;
            }
            (_reviewed, Subject::Review(review)) => {
                map.serialize_entry("event", "reviewed")?;
                let (render, repo) = (self.render, self.repo);
                ReviewJson { render, repo, review }.entries(&mut map)?;
            }
            (event, Subject::Nothing | Subject::Comment(_)) => self.plain(&mut map, event)?,
        }
        map.end()
    }
}

impl TimelineJson<'_> {
    fn commented<M: SerializeMap>(
        &self,
        map: &mut M,
        comment: &CommentView,
    ) -> Result<(), M::Error> {
        let author = self.render.user(&comment.comment.author);
        entries!(map, { "event": "commented", "actor": author });
        CommentJson { render: self.render, repo: self.repo, comment }.entries(map)
    }

    fn cross_referenced<M: SerializeMap>(
        &self,
        map: &mut M,
        issue: &IssueView,
    ) -> Result<(), M::Error> {
        entries!(map, {
            "event": "cross-referenced",
            "actor": self.render.user(&self.entry.actor),
            "created_at": Moment(self.entry.at),
            "updated_at": Moment(self.entry.at),
            "source": Source { render: self.render, issue },
        });
        Ok(())
    }

    /// With the commit that did it and the repository of that, if it is another one.
    fn head<M: SerializeMap>(
        &self,
        map: &mut M,
        commit: Option<(Sha, Option<&str>)>,
    ) -> Result<(), M::Error> {
        let (base, repo, id) = (self.render.base, self.repo, self.entry.id);
        let commit_url = commit.map(|(sha, elsewhere)| {
            let home = elsewhere.unwrap_or(repo);
            format!("{base}/repos/{home}/commits/{sha}")
        });
        let commit = commit.map(|(sha, _elsewhere)| sha);
        entries!(map, {
            "id": id,
            "node_id": format_args!("EV_{id}"),
            "url": format_args!("{base}/repos/{repo}/issues/events/{id}"),
            "actor": self.render.user(&self.entry.actor),
            "event": name(&self.entry.event),
            "commit_id": commit,
            "commit_url": commit_url,
            "created_at": Moment(self.entry.at),
            "performed_via_github_app": None::<u8>,
        });
        Ok(())
    }

    fn plain<M: SerializeMap>(&self, map: &mut M, event: &TimelineEvent) -> Result<(), M::Error> {
        match event {
            TimelineEvent::Labeled(label) | TimelineEvent::Unlabeled(label) => {
                self.head(map, None)?;
                map.serialize_entry("label", &LabelName(label))
            }
            TimelineEvent::Closed { reason, commit, elsewhere } => {
                self.head(map, commit.map(|sha| (sha, elsewhere.as_deref())))?;
                map.serialize_entry("state_reason", close_reason(*reason))
            }
            TimelineEvent::Reopened => {
                self.head(map, None)?;
                map.serialize_entry("state_reason", &None::<&str>)
            }
            TimelineEvent::Renamed { from, to } => {
                self.head(map, None)?;
                map.serialize_entry("rename", &Rename { from, to })
            }
            TimelineEvent::Referenced { commit, elsewhere } => {
                self.head(map, Some((*commit, elsewhere.as_deref())))
            }
            TimelineEvent::Merged { commit } => self.head(map, Some((*commit, None))),
            TimelineEvent::Commented { .. }
            | TimelineEvent::CrossReferenced { .. }
            | TimelineEvent::SubIssueAdded { .. }
            | TimelineEvent::SubIssueRemoved { .. }
            | TimelineEvent::ParentAdded { .. }
            | TimelineEvent::ParentRemoved { .. }
            | TimelineEvent::BlockedByAdded { .. }
            | TimelineEvent::BlockedByRemoved { .. }
            | TimelineEvent::BlockingAdded { .. }
            | TimelineEvent::BlockingRemoved { .. }
            | TimelineEvent::HeadDeleted
            | TimelineEvent::HeadForcePushed
            | TimelineEvent::BaseChanged { .. }
            | TimelineEvent::ReadyForReview
            | TimelineEvent::ConvertedToDraft
            | TimelineEvent::Committed { .. }
            | TimelineEvent::Reviewed { .. } => self.head(map, None),
        }
    }
}

fn name(event: &TimelineEvent) -> &'static str {
    match event {
        TimelineEvent::Labeled(_) => "labeled",
        TimelineEvent::Unlabeled(_) => "unlabeled",
        TimelineEvent::Closed { .. } => "closed",
        TimelineEvent::Reopened => "reopened",
        TimelineEvent::Renamed { .. } => "renamed",
        TimelineEvent::Commented { .. } => "commented",
        TimelineEvent::CrossReferenced { .. } => "cross-referenced",
        TimelineEvent::Referenced { .. } => "referenced",
        TimelineEvent::SubIssueAdded { .. } => "sub_issue_added",
        TimelineEvent::SubIssueRemoved { .. } => "sub_issue_removed",
        TimelineEvent::ParentAdded { .. } => "parent_issue_added",
        TimelineEvent::ParentRemoved { .. } => "parent_issue_removed",
        TimelineEvent::BlockedByAdded { .. } => "blocked_by_added",
        TimelineEvent::BlockedByRemoved { .. } => "blocked_by_removed",
        TimelineEvent::BlockingAdded { .. } => "blocking_added",
        TimelineEvent::BlockingRemoved { .. } => "blocking_removed",
        TimelineEvent::Merged { .. } => "merged",
        TimelineEvent::HeadDeleted => "head_ref_deleted",
        TimelineEvent::HeadForcePushed => "head_ref_force_pushed",
        TimelineEvent::BaseChanged { .. } => "base_ref_changed",
        TimelineEvent::ReadyForReview => "ready_for_review",
        TimelineEvent::ConvertedToDraft => "convert_to_draft",
        TimelineEvent::Committed { .. } => "committed",
        TimelineEvent::Reviewed { .. } => "reviewed",
    }
}

/// Returns the role of the other issue towards this one.
fn role(event: &TimelineEvent) -> &'static str {
    match event {
        TimelineEvent::SubIssueAdded { .. } | TimelineEvent::SubIssueRemoved { .. } => "sub_issue",
        TimelineEvent::ParentAdded { .. } | TimelineEvent::ParentRemoved { .. } => "parent_issue",
        TimelineEvent::BlockedByAdded { .. } | TimelineEvent::BlockedByRemoved { .. } => {
            "blocked_by"
        }
        TimelineEvent::BlockingAdded { .. } | TimelineEvent::BlockingRemoved { .. } => "blocking",
        TimelineEvent::Labeled(_)
        | TimelineEvent::Unlabeled(_)
        | TimelineEvent::Closed { .. }
        | TimelineEvent::Reopened
        | TimelineEvent::Renamed { .. }
        | TimelineEvent::Commented { .. }
        | TimelineEvent::CrossReferenced { .. }
        | TimelineEvent::Referenced { .. }
        | TimelineEvent::Merged { .. }
        | TimelineEvent::HeadDeleted
        | TimelineEvent::HeadForcePushed
        | TimelineEvent::BaseChanged { .. }
        | TimelineEvent::ReadyForReview
        | TimelineEvent::ConvertedToDraft
        | TimelineEvent::Committed { .. }
        | TimelineEvent::Reviewed { .. } => "subject",
    }
}

struct LabelName<'a>(&'a Label);

impl Serialize for LabelName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "name": self.0.name, "color": self.0.color })
    }
}

struct Rename<'a> {
    from: &'a str,
    to: &'a str,
}

impl Serialize for Rename<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "from": self.from, "to": self.to })
    }
}

struct Source<'a> {
    render: &'a RenderContext<'a>,
    issue: &'a IssueView,
}

impl Serialize for Source<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let repository = self.render.forge.repository_seen_by(&self.issue.repo, self.render.viewer);
        object!(serializer, {
            "type": "issue",
            "issue": IssueWithRepository {
                render: self.render,
                issue: self.issue,
                repository: repository.as_ref(),
            },
        })
    }
}

struct IssueWithRepository<'a> {
    render: &'a RenderContext<'a>,
    issue: &'a IssueView,
    repository: Option<&'a crate::model::repository_calls::RepositoryView>,
}

impl Serialize for IssueWithRepository<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.render.issue(self.issue).entries(&mut map)?;
        if let Some(repository) = self.repository {
            let repository = self.render.repository(repository, Extent::Usual);
            map.serialize_entry("repository", &repository)?;
        }
        map.end()
    }
}

/// Another issue, as relations name it.
struct ReferenceJson<'a> {
    render: &'a RenderContext<'a>,
    issue: &'a IssueView,
}

impl Serialize for ReferenceJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, issue } = self;
        let repository = render.forge.repository_seen_by(&issue.repo, render.viewer);
        let repository = repository.as_ref();
        object!(serializer, {
            "number": issue.number,
            "title": issue.title,
            "state": state(&issue.state),
            "state_reason": state_reason(&issue.state),
            "repository": repository.map(|found| render.repository(found, Extent::Minimal)),
            "issue_type": None::<u8>,
        })
    }
}
