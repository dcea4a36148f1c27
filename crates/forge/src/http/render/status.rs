//! Commit statuses, alone and combined.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::repository::Extent;
use super::{RenderContext, each, entries, object};
use crate::http::moment::Moment;
use crate::model::repository_calls::RepositoryView;
use crate::model::statuses::{CombinedStatus, CommitStatus, StatusState};

pub(in crate::http) struct StatusJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) status: &'a CommitStatus,
    /// Left out where statuses are combined.
    pub(in crate::http) with_creator: bool,
}

impl Serialize for StatusJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, status, with_creator } = self;
        let (base, sha, id) = (render.base, status.sha, status.id);
        let avatar = render.forge.account(&status.creator).map_or(0, |account| account.id);
        let mut map = serializer.serialize_map(None)?;
        entries!(map, {
            "url": format_args!("{base}/repos/{repo}/statuses/{sha}"),
            "avatar_url": format_args!("{base}/avatars/u/{avatar}"),
            "id": id,
            "node_id": format_args!("SC_{id}"),
            "state": word(status.state),
            "description": status.description,
            "target_url": status.target_url,
            "context": status.context,
            "created_at": Moment(status.created_at),
            "updated_at": Moment(status.created_at),
        });
        if *with_creator {
            map.serialize_entry("creator", &render.user(&status.creator))?;
        }
        map.end()
    }
}

pub(in crate::http) fn word(state: StatusState) -> &'static str {
    match state {
        StatusState::Pending => "pending",
        StatusState::Success => "success",
        StatusState::Failure => "failure",
        StatusState::Error => "error",
    }
}

pub(in crate::http) struct CombinedJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repository: &'a RepositoryView,
    pub(in crate::http) combined: &'a CombinedStatus,
    /// Those of its statuses that are on this page.
    pub(in crate::http) listed: &'a [CommitStatus],
}

impl Serialize for CombinedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repository, combined, listed } = self;
        let (base, repo, sha) = (render.base, repository.full_name(), combined.sha);
        let status = |status| StatusJson { render, repo: &repo, status, with_creator: false };
        object!(serializer, {
            "state": word(combined.state),
            "statuses": each(listed, status),
            "sha": sha,
            "total_count": combined.statuses.len(),
            "repository": render.repository(repository, Extent::Minimal),
            "commit_url": format_args!("{base}/repos/{repo}/commits/{sha}"),
            "url": format_args!("{base}/repos/{repo}/commits/{sha}/status"),
        })
    }
}
