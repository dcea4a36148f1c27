//! Reviews of pulls.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::issue::association;
use super::{Href, RenderContext, entries, object};
use crate::http::moment::Moment;
use crate::model::reviews::{Review, ReviewVerdict, ReviewView};

pub(in crate::http) struct ReviewJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) review: &'a ReviewView,
}

impl Serialize for ReviewJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl ReviewJson<'_> {
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (base, repo) = (self.render.base, self.repo);
        let Review { id, number, author, verdict, body, commit, at } = &self.review.review;
        let state = match verdict {
            ReviewVerdict::Approved => "APPROVED",
            ReviewVerdict::ChangesRequested => "CHANGES_REQUESTED",
            ReviewVerdict::Commented => "COMMENTED",
        };
        entries!(map, {
            "id": id,
            "node_id": format_args!("PRR_{id}"),
            "user": self.render.user(author),
            "body": body,
            "state": state,
            "html_url": format_args!("{base}/{repo}/pull/{number}#pullrequestreview-{id}"),
            "pull_request_url": format_args!("{base}/repos/{repo}/pulls/{number}"),
            "author_association": association(self.review.association),
            "_links": ReviewLinks { base, repo, number: *number, id: *id },
            "submitted_at": Moment(*at),
            "commit_id": commit,
        });
        Ok(())
    }
}

struct ReviewLinks<'a> {
    base: &'a str,
    repo: &'a str,
    number: u64,
    id: u64,
}

impl Serialize for ReviewLinks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, number, id } = self;
        object!(serializer, {
            "html": Href(format_args!("{base}/{repo}/pull/{number}#pullrequestreview-{id}")),
            "pull_request": Href(format_args!("{base}/repos/{repo}/pulls/{number}")),
        })
    }
}
