//! Webhooks about the labels of a repository.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{From, Notice, Own, Setting};
use crate::http::render::label::LabelJson;
use crate::http::render::{RenderContext, entries};
use crate::model::event::LabelAction;
use crate::model::labels::Label;
use crate::model::repository_calls::RepositoryView;

impl Setting<'_> {
    pub(super) fn label(
        &mut self,
        name: &str,
        action: LabelAction,
        before: Option<&Label>,
    ) -> Option<Notice> {
        let found = self.forge.peek_label(self.repo, name);
        let (action, label, changes) = match (action, &found, before) {
            (LabelAction::Created, Some(label), _) => ("created", &**label, None),
            (LabelAction::Edited, Some(label), Some(before)) => {
                ("edited", &**label, Some(LabelChanges { before, after: label }))
            }
            (LabelAction::Deleted, _, Some(label)) => ("deleted", label, None),
            (LabelAction::Created | LabelAction::Edited | LabelAction::Deleted, _, _) => {
                return None;
            }
        };
        self.notice("label", Some(action), &AboutLabel { label, changes })
    }
}

struct AboutLabel<'a> {
    label: &'a Label,
    changes: Option<LabelChanges<'a>>,
}

/// The former values of an edited label, as far as they changed.
struct LabelChanges<'a> {
    before: &'a Label,
    after: &'a Label,
}

impl Serialize for LabelChanges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { before, after } = self;
        let mut map = serializer.serialize_map(None)?;
        if before.name != after.name {
            entries!(map, { "name": From(&before.name) });
        }
        if before.color != after.color {
            entries!(map, { "color": From(&before.color) });
        }
        if before.description != after.description {
            let from = before.description.as_deref().unwrap_or_default();
            entries!(map, { "description": From(from) });
        }
        map.end()
    }
}

impl Own for AboutLabel<'_> {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let repo = repository.full_name();
        let label = LabelJson { render, repo: &repo, label: self.label };
        map.serialize_entry("label", &label)?;
        match &self.changes {
            Some(changes) => map.serialize_entry("changes", changes),
            None => Ok(()),
        }
    }
}
