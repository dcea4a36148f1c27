//! What happened, as a webhook would carry it.

use std::sync::Arc;

use super::comments::Comment;
use super::labels::Label;
use super::statuses::StatusState;
use super::timeline::IssueReference;
use super::turn::IssueKey;
use crate::git::sha::Sha;

/// One thing that happened in one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `owner/name`.
    pub repo: String,
    /// Login of who caused it.
    pub actor: String,
    /// Unix seconds.
    pub at: u64,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Issue {
        number: u64,
        action: ThreadAction,
    },
    /// A merged pull is announced as `PullMerged` instead of closed.
    Pull {
        number: u64,
        action: ThreadAction,
    },
    PullMerged {
        number: u64,
        merge_commit: Sha,
    },
    PullSynchronized {
        number: u64,
        before: Sha,
        after: Sha,
    },
    PullDraft {
        number: u64,
        draft: bool,
    },
    Comment {
        number: u64,
        comment: u64,
        action: CommentAction,
        /// The comment as it was, when it is gone or reads otherwise now.
        before: Option<Box<Comment>>,
    },
    Label {
        name: String,
        action: LabelAction,
        /// The label as it was, when it is gone or reads otherwise now.
        before: Option<Arc<Label>>,
    },
    SubIssue {
        parent: IssueReference,
        child: IssueReference,
        action: LinkAction,
    },
    Dependency {
        blocked: IssueReference,
        blocking: IssueReference,
        action: LinkAction,
    },
    /// `before` is none for a new branch, `after` for a deleted one.
    Push {
        branch: String,
        before: Option<Sha>,
        after: Option<Sha>,
        forced: bool,
    },
    CheckRun {
        id: u64,
        name: String,
        head: Sha,
        action: CheckAction,
    },
    Status {
        sha: Sha,
        context: String,
        state: StatusState,
    },
}

/// What can happen to an issue and to a pull alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadAction {
    Opened,
    Edited,
    Closed,
    Reopened,
    Labeled { label: String },
    Unlabeled { label: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentAction {
    Created,
    Edited,
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelAction {
    Created,
    Edited,
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkAction {
    Added,
    Removed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckAction {
    Created,
    Completed,
    /// Someone asks for the check to run again; nothing changed yet.
    Rerequested,
}

impl super::turn::Turn<'_> {
    /// Announces something in the repository of the request.
    pub(super) fn emit(&mut self, kind: EventKind) {
        let repository = self.repository_id();
        self.emit_in(repository, kind);
    }

    /// Announces something on an issue or pull, wherever it is.
    pub(super) fn emit_thread(&mut self, key: IssueKey, action: ThreadAction) {
        let is_pull = self.issue_at(key).is_ok_and(|issue| issue.pull.is_some());
        let number = key.number;
        let kind = if is_pull {
            EventKind::Pull { number, action }
        } else {
            EventKind::Issue { number, action }
        };
        self.emit_in(key.repository, kind);
    }
}
