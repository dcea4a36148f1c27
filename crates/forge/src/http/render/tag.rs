//! Tags.

use serde::{Serialize, Serializer};

use super::branch::{Target, Tip};
use super::commit::Verification;
use super::{RenderContext, object};
use crate::git::object_kind::{NewTag, TagObject};
use crate::http::moment::Moment;
use crate::model::other_refs::TagView;

/// A tag as lists show it.
pub(in crate::http) struct TagJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) tag: &'a TagView,
}

impl Serialize for TagJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, tag } = self;
        let (base, name) = (render.base, &tag.name);
        object!(serializer, {
            "name": name,
            "zipball_url": format_args!("{base}/repos/{repo}/zipball/refs/tags/{name}"),
            "tarball_url": format_args!("{base}/repos/{repo}/tarball/refs/tags/{name}"),
            "commit": Tip { base, repo, sha: tag.commit },
            "node_id": format_args!("REF_{repo}:refs/tags/{name}"),
        })
    }
}

/// A tag with a message.
pub(in crate::http) struct TagObjectJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) tag: &'a TagObject,
}

impl Serialize for TagObjectJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, tag } = self;
        let (base, sha) = (render.base, tag.sha);
        let NewTag { name, message, object, kind, .. } = &tag.tag;
        object!(serializer, {
            "node_id": format_args!("TA_{sha}"),
            "tag": name,
            "sha": sha,
            "url": format_args!("{base}/repos/{repo}/git/tags/{sha}"),
            "message": message,
            "tagger": Tagger(&tag.tag),
            "object": Target { base, repo, sha: *object, kind: *kind },
            "verification": Verification,
        })
    }
}

struct Tagger<'a>(&'a NewTag);

impl Serialize for Tagger<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let NewTag { tagger, email, at, .. } = self.0;
        object!(serializer, { "name": tagger, "email": email, "date": Moment(*at) })
    }
}
