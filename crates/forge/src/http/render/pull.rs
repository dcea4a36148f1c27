//! Pulls: short in lists, with mergeability when asked for alone.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::issue::{association, closed_at, state};
use super::label::LabelJson;
use super::repository::Extent;
use super::{Href, NONE, RenderContext, each, entries, object};
use crate::git::sha::Sha;
use crate::http::moment::Moment;
use crate::model::mergeability::MergeState;
use crate::model::pull_view::{PullSummary, PullView};
use crate::model::repository_calls::RepositoryView;

/// A pull as lists show it.
pub(in crate::http) struct PullSummaryJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repository: &'a RepositoryView,
    pub(in crate::http) pull: &'a PullSummary,
}

/// Everything.
pub(in crate::http) struct PullJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repository: &'a RepositoryView,
    pub(in crate::http) pull: &'a PullView,
}

impl Serialize for PullSummaryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl PullSummaryJson<'_> {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.links(map)?;
        self.content(map)?;
        self.branches(map)
    }

    fn links<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (base, issue) = (self.render.base, &self.pull.issue);
        let (repo, number, id) = (&issue.repo, issue.number, issue.id);
        entries!(map, {
            "url": format_args!("{base}/repos/{repo}/pulls/{number}"),
            "id": id,
            "node_id": format_args!("PR_{id}"),
            "html_url": format_args!("{base}/{repo}/pull/{number}"),
            "diff_url": format_args!("{base}/{repo}/pull/{number}.diff"),
            "patch_url": format_args!("{base}/{repo}/pull/{number}.patch"),
            "issue_url": format_args!("{base}/repos/{repo}/issues/{number}"),
            "commits_url": format_args!("{base}/repos/{repo}/pulls/{number}/commits"),
            "review_comments_url": format_args!("{base}/repos/{repo}/pulls/{number}/comments"),
            "review_comment_url": format_args!("{base}/repos/{repo}/pulls/comments{{/number}}"),
            "comments_url": format_args!("{base}/repos/{repo}/issues/{number}/comments"),
            "statuses_url": format_args!("{base}/repos/{repo}/statuses/{}", self.pull.head_sha),
            "number": number,
        });
        Ok(())
    }

    fn content<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (pull, issue) = (self.pull, &self.pull.issue);
        let label = |label| LabelJson { render: self.render, repo: &issue.repo, label };
        let nothing: Option<&str> = None;
        entries!(map, {
            "state": state(&issue.state),
            "locked": false,
            "title": issue.title,
            "user": self.render.user(&issue.author),
            "body": Some(&issue.body).filter(|body| !body.is_empty()),
            "created_at": Moment(issue.created_at),
            "updated_at": Moment(issue.updated_at),
            "closed_at": closed_at(&issue.state).map(Moment),
            "merged_at": pull.merged.as_ref().map(|merge| Moment(merge.at)),
            "merge_commit_sha": pull.merge_commit,
            "assignee": nothing,
            "assignees": NONE,
            "requested_reviewers": NONE,
            "requested_teams": NONE,
            "labels": each(&issue.labels, |found| label(found)),
            "milestone": nothing,
            "draft": pull.draft,
            "author_association": association(issue.association),
            "auto_merge": nothing,
            "active_lock_reason": nothing,
        });
        Ok(())
    }

    fn branches<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { render, repository, pull } = self;
        let end = |name, sha| End { render, repository, name, sha };
        entries!(map, {
            "head": end(&pull.head, pull.head_sha),
            "base": end(&pull.base, pull.base_sha),
            "_links": Links { base: render.base, pull },
        });
        Ok(())
    }
}

/// One of the two branches of a pull.
struct End<'a> {
    render: &'a RenderContext<'a>,
    repository: &'a RepositoryView,
    name: &'a str,
    sha: Sha,
}

impl Serialize for End<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repository, name, sha } = self;
        let owner = &repository.owner;
        object!(serializer, {
            "label": format_args!("{owner}:{name}"),
            "ref": name,
            "sha": sha,
            "user": render.user(owner),
            "repo": render.repository(repository, Extent::Usual),
        })
    }
}

struct Links<'a> {
    base: &'a str,
    pull: &'a PullSummary,
}

impl Serialize for Links<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (base, issue) = (self.base, &self.pull.issue);
        let (repo, number, sha) = (&issue.repo, issue.number, self.pull.head_sha);
        object!(serializer, {
            "self": Href(format_args!("{base}/repos/{repo}/pulls/{number}")),
            "html": Href(format_args!("{base}/{repo}/pull/{number}")),
            "issue": Href(format_args!("{base}/repos/{repo}/issues/{number}")),
            "comments": Href(format_args!("{base}/repos/{repo}/issues/{number}/comments")),
            "review_comments": Href(format_args!("{base}/repos/{repo}/pulls/{number}/comments")),
            "review_comment": Href(format_args!("{base}/repos/{repo}/pulls/comments{{/number}}")),
            "commits": Href(format_args!("{base}/repos/{repo}/pulls/{number}/commits")),
            "statuses": Href(format_args!("{base}/repos/{repo}/statuses/{sha}")),
        })
    }
}

impl Serialize for PullJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repository, pull } = self;
        let summary = &pull.summary;
        let merged = summary.merged.as_ref();
        let mut map = serializer.serialize_map(None)?;
        PullSummaryJson { render, repository, pull: summary }.entries(&mut map)?;
        entries!(map, {
            "merged": merged.is_some(),
            "mergeable": pull.mergeable,
            "rebaseable": pull.mergeable,
            "mergeable_state": merge_state(pull.merge_state),
            "merged_by": merged.map(|merge| render.user(&merge.by)),
            "comments": summary.issue.comments,
            "review_comments": 0,
            "maintainer_can_modify": false,
            "commits": pull.commits,
            "additions": pull.additions,
            "deletions": pull.deletions,
            "changed_files": pull.changed_files,
        });
        map.end()
    }
}

fn merge_state(state: MergeState) -> &'static str {
    match state {
        MergeState::Unknown => "unknown",
        MergeState::Dirty => "dirty",
        MergeState::Draft => "draft",
        MergeState::Blocked => "blocked",
        MergeState::Behind => "behind",
        MergeState::Unstable => "unstable",
        MergeState::HasHooks => "has_hooks",
        MergeState::Clean => "clean",
    }
}
