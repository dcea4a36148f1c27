//! Webhooks about issues, pulls and their comments.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{From, Notice, Own, Setting};
use crate::git::sha::Sha;
use crate::http::render::comment::CommentJson;
use crate::http::render::issue::EventIssue;
use crate::http::render::label::LabelJson;
use crate::http::render::pull::PullJson;
use crate::http::render::{RenderContext, object};
use crate::model::comments::{Comment, CommentView};
use crate::model::event::{CommentAction, ThreadAction};
use crate::model::issue_view::IssueView;
use crate::model::labels::Label;
use crate::model::permission::Association;
use crate::model::pull_view::PullView;
use crate::model::repository_calls::RepositoryView;

impl Setting<'_> {
    pub(super) fn issue(&mut self, number: u64, action: &ThreadAction) -> Option<Notice> {
        let issue = self.forge.peek_issue(self.repo, number)?;
        let own = AboutIssue { issue, what: self.what(action) };
        self.notice("issues", Some(word(action)), &own)
    }

    pub(super) fn pull(&mut self, number: u64, action: &ThreadAction) -> Option<Notice> {
        let pull = self.forge.peek_pull(self.repo, number)?;
        let own = AboutPull { pull, what: self.what(action) };
        self.notice("pull_request", Some(word(action)), &own)
    }

    pub(super) fn pull_merged(&mut self, number: u64) -> Option<Notice> {
        let pull = self.forge.peek_pull(self.repo, number)?;
        self.notice("pull_request", Some("closed"), &AboutPull { pull, what: What::Plain })
    }

    pub(super) fn synchronized(&mut self, number: u64, before: Sha, after: Sha) -> Option<Notice> {
        let pull = self.forge.peek_pull(self.repo, number)?;
        let own = AboutPull { pull, what: What::Moved { before, after } };
        self.notice("pull_request", Some("synchronize"), &own)
    }

    pub(super) fn draft(&mut self, number: u64, draft: bool) -> Option<Notice> {
        let pull = self.forge.peek_pull(self.repo, number)?;
        let action = if draft { "converted_to_draft" } else { "ready_for_review" };
        self.notice("pull_request", Some(action), &AboutPull { pull, what: What::Plain })
    }

    pub(super) fn comment(
        &mut self,
        (number, id): (u64, u64),
        action: CommentAction,
        before: Option<&Comment>,
    ) -> Option<Notice> {
        let repo = self.repo;
        let issue = self.forge.peek_issue(repo, number)?;
        let gone = || {
            let comment = before?.clone();
            Some(CommentView { comment, association: Association::None })
        };
        let comment = self.forge.peek_comment(repo, id).or_else(gone)?;
        let (action, from) = match action {
            CommentAction::Created => ("created", None),
            CommentAction::Edited => ("edited", before.map(|comment| comment.body.clone())),
            CommentAction::Deleted => ("deleted", None),
        };
        self.notice("issue_comment", Some(action), &AboutComment { issue, comment, from })
    }

    fn what(&self, action: &ThreadAction) -> What {
        match action {
            ThreadAction::Opened | ThreadAction::Closed | ThreadAction::Reopened => What::Plain,
            ThreadAction::Edited => What::Edited,
            ThreadAction::Labeled { label } | ThreadAction::Unlabeled { label } => {
                let found = self.forge.peek_label(self.repo, label);
                found.map_or(What::Plain, What::Label)
            }
        }
    }
}

fn word(action: &ThreadAction) -> &'static str {
    match action {
        ThreadAction::Opened => "opened",
        ThreadAction::Edited => "edited",
        ThreadAction::Closed => "closed",
        ThreadAction::Reopened => "reopened",
        ThreadAction::Labeled { .. } => "labeled",
        ThreadAction::Unlabeled { .. } => "unlabeled",
    }
}

/// The part of the payload beside the issue or pull.
enum What {
    Plain,
    Edited,
    Label(Arc<Label>),
    Moved { before: Sha, after: Sha },
}

impl What {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repo: &str,
        map: &mut M,
    ) -> Result<(), M::Error> {
        match self {
            Self::Plain => Ok(()),
            Self::Edited => map.serialize_entry("changes", &NoChanges {}),
            Self::Label(label) => map.serialize_entry("label", &LabelJson { render, repo, label }),
            Self::Moved { before, after } => {
                map.serialize_entry("before", before)?;
                map.serialize_entry("after", after)
            }
        }
    }
}

/// Empty: the text before an edit is not kept.
#[derive(Serialize)]
struct NoChanges {}

struct AboutIssue {
    issue: IssueView,
    what: What,
}

impl Own for AboutIssue {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        _repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        map.serialize_entry("issue", &EventIssue { render, issue: &self.issue })?;
        self.what.entries(render, &self.issue.repo, map)
    }
}

struct AboutPull {
    pull: PullView,
    what: What,
}

impl Own for AboutPull {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let issue = &self.pull.summary.issue;
        map.serialize_entry("number", &issue.number)?;
        map.serialize_entry("pull_request", &PullJson { render, repository, pull: &self.pull })?;
        self.what.entries(render, &issue.repo, map)
    }
}

struct AboutComment {
    issue: IssueView,
    comment: CommentView,
    /// The text before an edit.
    from: Option<String>,
}

impl Own for AboutComment {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        _repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let Self { issue, comment, from } = self;
        map.serialize_entry("issue", &EventIssue { render, issue })?;
        map.serialize_entry("comment", &CommentJson { render, repo: &issue.repo, comment })?;
        match from {
            Some(from) => map.serialize_entry("changes", &BodyChange(from)),
            None => Ok(()),
        }
    }
}

struct BodyChange<'a>(&'a str);

impl Serialize for BodyChange<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "body": From(self.0) })
    }
}
