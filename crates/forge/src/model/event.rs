//! Events, as a webhook would carry them.

use std::sync::Arc;

use super::comments::Comment;
use super::labels::Label;
use super::statuses::StatusState;
use super::timeline::IssueReference;
use crate::git::sha::Sha;

/// An event in one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// `owner/name`.
    pub repo: String,
    /// The login of the user who caused it.
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
        /// The comment before the change, if it was edited or deleted.
        before: Option<Box<Comment>>,
    },
    Label {
        name: String,
        action: LabelAction,
        /// The label before the change, if it was edited or deleted.
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

/// An action on an issue or a pull.
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
