//! Labels.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Serialize, Serializer};

use super::{RenderContext, object};
use crate::model::labels::Label;

pub(in crate::http) struct LabelJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) label: &'a Label,
}

impl Serialize for LabelJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (base, repo) = (self.render.base, self.repo);
        let Label { id, name, color, description } = self.label;
        let encoded = utf8_percent_encode(name, NON_ALPHANUMERIC);
        object!(serializer, {
            "id": id,
            "node_id": format_args!("LA_{id}"),
            "url": format_args!("{base}/repos/{repo}/labels/{encoded}"),
            "name": name,
            "color": color,
            "default": false,
            "description": description,
        })
    }
}
