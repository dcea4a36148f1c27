//! Issues, and pulls as issues.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use super::label::LabelJson;
use super::{NONE, RenderContext, each, entries, object};
use crate::http::moment::Moment;
use crate::model::issue_view::{DependencySummary, IssueView, PullLink, SubIssueSummary};
use crate::model::issues::{CloseReason, IssueState};
use crate::model::permission::Association;
use crate::model::timeline::IssueReference;

pub(in crate::http) struct IssueJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) issue: &'a IssueView,
}

impl RenderContext<'_> {
    pub(in crate::http) fn issue<'a>(&'a self, issue: &'a IssueView) -> IssueJson<'a> {
        IssueJson { render: self, issue }
    }
}

impl Serialize for IssueJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rendered = self.render.cache.issue(self.issue, &Uncached(self));
        rendered.map_err(S::Error::custom)?.1.serialize(serializer)
    }
}

/// An issue, written entry by entry.
struct Uncached<'a>(&'a IssueJson<'a>);

impl Serialize for Uncached<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.entries(&mut map)?;
        map.end()
    }
}

impl IssueJson<'_> {
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.common(map)?;
        let closed_by = closed_by(&self.issue.state).map(|by| self.render.user(by));
        map.serialize_entry("closed_by", &closed_by)?;
        if let Some(IssueReference { repo, number, .. }) = &self.issue.parent {
            let url = format_args!("{}/repos/{repo}/issues/{number}", self.render.base);
            map.serialize_entry("parent_issue_url", &url)?;
        }
        Ok(())
    }

    /// The fields that search results have too.
    fn common<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.identity(map)?;
        self.content(map)?;
        self.relations(map)
    }

    fn identity<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (base, IssueView { id, repo, number, .. }) = (self.render.base, self.issue);
        let (kind, prefix) = match self.issue.pull {
            Some(_) => ("pull", "PR"),
            None => ("issues", "I"),
        };
        entries!(map, {
            "url": format_args!("{base}/repos/{repo}/issues/{number}"),
            "repository_url": format_args!("{base}/repos/{repo}"),
            "labels_url": format_args!("{base}/repos/{repo}/issues/{number}/labels{{/name}}"),
            "comments_url": format_args!("{base}/repos/{repo}/issues/{number}/comments"),
            "events_url": format_args!("{base}/repos/{repo}/issues/{number}/events"),
            "timeline_url": format_args!("{base}/repos/{repo}/issues/{number}/timeline"),
            "html_url": format_args!("{base}/{repo}/{kind}/{number}"),
            "id": id,
            "node_id": format_args!("{prefix}_{id}"),
            "number": number,
        });
        Ok(())
    }

    fn content<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let issue = self.issue;
        let label = |label| LabelJson { render: self.render, repo: &issue.repo, label };
        let nothing: Option<&str> = None;
        entries!(map, {
            "title": issue.title,
            "user": self.render.user(&issue.author),
            "labels": each(&issue.labels, |found| label(found)),
            "state": state(&issue.state),
            "state_reason": state_reason(&issue.state),
            "locked": false,
            "assignee": nothing,
            "assignees": NONE,
            "milestone": nothing,
            "comments": issue.comments,
            "created_at": Moment(issue.created_at),
            "updated_at": Moment(issue.updated_at),
            "closed_at": closed_at(&issue.state).map(Moment),
            "author_association": association(issue.association),
            "active_lock_reason": nothing,
            "type": nothing,
            "body": Some(&issue.body).filter(|body| !body.is_empty()),
            "reactions": Reactions(format_args!(
                "{}/repos/{}/issues/{}/reactions", self.render.base, issue.repo, issue.number
            )),
            "performed_via_github_app": nothing,
        });
        Ok(())
    }

    fn relations<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (base, IssueView { repo, number, .. }) = (self.render.base, self.issue);
        if let Some(PullLink { draft, merged_at }) = self.issue.pull {
            map.serialize_entry("draft", &draft)?;
            map.serialize_entry(
                "pull_request",
                &PullLinkJson { base, repo, number: *number, merged_at },
            )?;
        }
        map.serialize_entry("sub_issues_summary", &SubIssuesJson(self.issue.sub_issues))?;
        if let Some(summary) = &self.issue.dependencies {
            map.serialize_entry("issue_dependencies_summary", &DependenciesJson(summary))?;
        }
        Ok(())
    }
}

/// An issue as webhooks carry it.
pub(in crate::http) struct EventIssue<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) issue: &'a IssueView,
}

impl Serialize for EventIssue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.render.issue(self.issue).common(&mut map)?;
        map.end()
    }
}

/// An issue as search finds it.
pub(in crate::http) struct FoundIssue<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) issue: &'a IssueView,
}

impl Serialize for FoundIssue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.render.issue(self.issue).common(&mut map)?;
        map.serialize_entry("score", &1.0)?;
        map.end()
    }
}

struct PullLinkJson<'a> {
    base: &'a str,
    repo: &'a str,
    number: u64,
    merged_at: Option<u64>,
}

impl Serialize for PullLinkJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, number, merged_at } = self;
        object!(serializer, {
            "url": format_args!("{base}/repos/{repo}/pulls/{number}"),
            "html_url": format_args!("{base}/{repo}/pull/{number}"),
            "diff_url": format_args!("{base}/{repo}/pull/{number}.diff"),
            "patch_url": format_args!("{base}/{repo}/pull/{number}.patch"),
            "merged_at": merged_at.map(Moment),
        })
    }
}

struct SubIssuesJson(SubIssueSummary);

impl Serialize for SubIssuesJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SubIssueSummary { total, completed } = self.0;
        object!(serializer, {
            "total": total,
            "completed": completed,
            "percent_completed": (completed * 100).checked_div(total).unwrap_or(0),
        })
    }
}

struct DependenciesJson<'a>(&'a DependencySummary);

impl Serialize for DependenciesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DependencySummary { blocked_by, total_blocked_by, blocking, total_blocking } = self.0;
        object!(serializer, {
            "blocked_by": blocked_by,
            "total_blocked_by": total_blocked_by,
            "blocking": blocking,
            "total_blocking": total_blocking,
        })
    }
}

/// Empty: there are no reactions here.
pub(super) struct Reactions<'a>(pub(super) std::fmt::Arguments<'a>);

impl Serialize for Reactions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "url": self.0,
            "total_count": 0,
            "+1": 0,
            "-1": 0,
            "laugh": 0,
            "hooray": 0,
            "confused": 0,
            "heart": 0,
            "rocket": 0,
            "eyes": 0,
        })
    }
}

pub(in crate::http) fn state(state: &IssueState) -> &'static str {
    match state {
        IssueState::Open { .. } => "open",
        IssueState::Closed { .. } => "closed",
    }
}

pub(in crate::http) fn state_reason(state: &IssueState) -> Option<&'static str> {
    match state {
        IssueState::Open { reopened: false } => None,
        IssueState::Open { reopened: true } => Some("reopened"),
        IssueState::Closed { reason, .. } => Some(close_reason(*reason)),
    }
}

pub(in crate::http) fn close_reason(reason: CloseReason) -> &'static str {
    match reason {
        CloseReason::Completed => "completed",
        CloseReason::NotPlanned => "not_planned",
        CloseReason::Duplicate => "duplicate",
    }
}

pub(super) fn closed_at(state: &IssueState) -> Option<u64> {
    match state {
        IssueState::Open { .. } => None,
        IssueState::Closed { at, .. } => Some(*at),
    }
}

fn closed_by(state: &IssueState) -> Option<&str> {
    match state {
        IssueState::Open { .. } => None,
        IssueState::Closed { by, .. } => Some(by),
    }
}

pub(in crate::http) fn association(association: Association) -> &'static str {
    match association {
        Association::Owner => "OWNER",
        Association::Collaborator => "COLLABORATOR",
        Association::Contributor => "CONTRIBUTOR",
        Association::None => "NONE",
    }
}
