//! Comments on issues and pulls.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::issue::{Reactions, association};
use super::{RenderContext, entries};
use crate::http::moment::Moment;
use crate::model::comments::CommentView;

pub(in crate::http) struct CommentJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) comment: &'a CommentView,
}

impl Serialize for CommentJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl CommentJson<'_> {
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (base, repo, comment) = (self.render.base, self.repo, &self.comment.comment);
        let (id, number) = (comment.id, comment.number);
        entries!(map, {
            "url": format_args!("{base}/repos/{repo}/issues/comments/{id}"),
            "html_url": format_args!("{base}/{repo}/issues/{number}#issuecomment-{id}"),
            "issue_url": format_args!("{base}/repos/{repo}/issues/{number}"),
            "id": id,
            "node_id": format_args!("IC_{id}"),
            "user": self.render.user(&comment.author),
            "created_at": Moment(comment.created_at),
            "updated_at": Moment(comment.updated_at),
            "body": comment.body,
            "author_association": association(self.comment.association),
            "reactions": Reactions(format_args!("{base}/repos/{repo}/issues/comments/{id}/reactions")),
            "performed_via_github_app": None::<u8>,
        });
        Ok(())
    }
}
