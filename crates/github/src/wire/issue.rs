//! Issues, their labels, comments and events.

use crate::moment;
use ralph_core::ids::{CommentId, IssueKey, Login, RepoName};
use ralph_core::time::Time;
use ralph_engine::ports::{ForgeComment, ForgeIssue, LabelDefinition, LabelEvent, RelationCount};
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
pub(crate) struct Issue {
    pub(crate) number: u64,
    title: Option<Arc<str>>,
    body: Option<String>,
    state: String,
    #[serde(rename = "user", deserialize_with = "super::login", default = "super::ghost")]
    author: Login,
    #[serde(deserialize_with = "label_names", default)]
    labels: BTreeSet<Arc<str>>,
    #[serde(with = "moment")]
    updated_at: Time,
    repository_url: Option<String>,
    /// There on pull requests, which are issues too.
    pull_request: Option<IgnoredAny>,
    sub_issues_summary: Option<SubIssuesSummary>,
    issue_dependencies_summary: Option<DependenciesSummary>,
}

/// The fields that are read from an issue that was just opened.
#[derive(Debug, Deserialize)]
pub(crate) struct Opened {
    pub(crate) number: u64,
}

#[derive(Debug, Deserialize)]
struct SubIssuesSummary {
    #[serde(default)]
    total: u64,
}

#[derive(Debug, Deserialize)]
struct DependenciesSummary {
    /// Those that are open.
    #[serde(default)]
    blocked_by: u64,
    #[serde(default)]
    total_blocked_by: u64,
}

impl Issue {
    pub(crate) const fn is_pull(&self) -> bool {
        self.pull_request.is_some()
    }

    /// The issue as the port shows it. One of another repository says so itself.
    pub(crate) fn shown(&self, asked: &RepoName) -> ForgeIssue {
        let named = self.repository_url.as_deref().and_then(repository_of);
        let has_children = self.sub_issues_summary.as_ref().is_some_and(|found| found.total > 0);
        let has_blockers = self
            .issue_dependencies_summary
            .as_ref()
            .is_some_and(|found| found.total_blocked_by.max(found.blocked_by) > 0);
        let counts_both =
            self.sub_issues_summary.is_some() && self.issue_dependencies_summary.is_some();
        let relations = if has_children || has_blockers {
            RelationCount::Some
        } else if counts_both {
            RelationCount::Zero
        } else {
            RelationCount::Unknown
        };
        ForgeIssue {
            key: IssueKey::new(named.unwrap_or_else(|| asked.clone()), self.number),
            title: self.title.clone().unwrap_or_default(),
            body: self.body.clone().unwrap_or_default(),
            open: self.state == "open",
            author: self.author.clone(),
            labels: self.labels.clone(),
            updated: self.updated_at,
            relations,
            is_pull: self.is_pull(),
        }
    }
}

/// `https://api.github.com/repos/owner/name` names a repository.
pub(crate) fn repository_of(url: &str) -> Option<RepoName> {
    let (_, name) = url.rsplit_once("/repos/")?;
    RepoName::parse(name)
}

/// Labels of an issue are objects. GitHub's description also allows bare names.
struct LabelName(Option<Arc<str>>);

impl<'de> Deserialize<'de> for LabelName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(LabelNameVisitor)
    }
}

struct LabelNameVisitor;

impl<'de> Visitor<'de> for LabelNameVisitor {
    type Value = LabelName;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a label or its name")
    }

    fn visit_str<E>(self, name: &str) -> Result<LabelName, E> {
        Ok(LabelName(Some(name.into())))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LabelName, A::Error> {
        let label = NamedLabel::deserialize(MapAccessDeserializer::new(map))?;
        Ok(LabelName(label.name))
    }
}

fn label_names<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeSet<Arc<str>>, D::Error> {
    let labels: Vec<LabelName> = super::list(from)?;
    Ok(labels.into_iter().filter_map(|label| label.0).collect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Label {
    name: String,
    #[serde(default)]
    color: String,
    description: Option<String>,
}

impl Label {
    pub(crate) fn shown(&self) -> LabelDefinition {
        LabelDefinition {
            name: self.name.clone(),
            color: self.color.clone(),
            description: self.description.clone().unwrap_or_default(),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    #[serde(rename = "user", deserialize_with = "super::login", default = "super::ghost")]
    author: Login,
    body: Option<String>,
    #[serde(with = "moment")]
    created_at: Time,
    /// The answer to writing one is read without it too.
    #[serde(with = "moment", default)]
    updated_at: Time,
}

impl Comment {
    pub(crate) fn shown(&self) -> ForgeComment {
        ForgeComment {
            id: CommentId(self.id),
            author: self.author.clone(),
            body: self.body.clone().unwrap_or_default(),
            created: self.created_at,
            updated: self.updated_at,
        }
    }
}

/// Something that happened to an issue. Only label events have a label.
#[derive(Debug, Deserialize)]
pub(crate) struct IssueEvent {
    id: u64,
    event: String,
    #[serde(deserialize_with = "super::login", default = "super::ghost")]
    actor: Login,
    #[serde(with = "moment")]
    created_at: Time,
    label: Option<NamedLabel>,
}

#[derive(Debug, Deserialize)]
struct NamedLabel {
    name: Option<Arc<str>>,
}

impl IssueEvent {
    pub(crate) fn label_event(&self) -> Option<LabelEvent> {
        let is_added = match self.event.as_str() {
            "labeled" => true,
            "unlabeled" => false,
            _other => return None,
        };
        let label = self.label.as_ref()?.name.clone()?;
        let (id, at, actor) = (self.id, self.created_at, self.actor.clone());
        Some(LabelEvent { id, at, actor, label, is_added })
    }
}
