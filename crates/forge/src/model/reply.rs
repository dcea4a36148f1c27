//! What is answered when a request is not refused.

use std::sync::Arc;

use super::accounts::Account;
use super::branches::BranchView;
use super::check_suites::CheckSuite;
use super::checks::CheckRun;
use super::comments::CommentView;
use super::compare::Comparison;

use super::issue_view::IssueView;
use super::labels::Label;
use super::merging::Merged;
use super::other_refs::{Pointer, TagView};
use super::paging::Listing;
use super::permission::CollaboratorPermission;
use super::protection::{Protection, RuleView};
use super::pull_view::{PullSummary, PullView};
use super::refusal::Refusal;
use super::repository_calls::RepositoryView;
use super::reviews::ReviewView;
use super::statuses::{CombinedStatus, CommitStatus};
use super::timeline::TimelineEntry;
use crate::git::commit::Commit;
use crate::git::diff::{FileChange, FileContent, FolderContent};
use crate::git::object_kind::TagObject;
use crate::git::sha::Sha;

/// The answer to a request.
pub type Response = Result<Reply, Refusal>;

/// A typed answer; which variant belongs to which call is said at the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is done and there is nothing to say.
    Done,
    /// It will be done later.
    Accepted,
    Account(Account),
    Repository(Box<RepositoryView>),
    Repositories(Listing<RepositoryView>),
    Permission(CollaboratorPermission),
    Collaborators(Listing<CollaboratorPermission>),
    Label(Arc<Label>),
    Labels(Listing<Arc<Label>>),
    Issue(Box<IssueView>),
    Issues(Listing<IssueView>),
    Comment(Box<CommentView>),
    Comments(Listing<CommentView>),
    Timeline(Listing<TimelineEntry>),
    Pull(Box<PullView>),
    Pulls(Listing<PullSummary>),
    Merged(Merged),
    Review(Box<ReviewView>),
    Reviews(Listing<ReviewView>),
    CheckRun(Box<CheckRun>),
    CheckRuns(Listing<CheckRun>),
    CheckSuite(Box<CheckSuite>),
    CheckSuites(Listing<CheckSuite>),
    Status(Box<CommitStatus>),
    Statuses(Listing<CommitStatus>),
    CombinedStatus(CombinedStatus),
    Branch(Box<BranchView>),
    Branches(Listing<BranchView>),
    Protection(Protection),
    Rules(Vec<RuleView>),
    /// Where a branch points.
    Reference(Sha),
    Pointer(Pointer),
    Pointers(Listing<Pointer>),
    Tags(Listing<TagView>),
    TagObject(Box<TagObject>),
    Commit(Arc<Commit>),
    Commits(Listing<Arc<Commit>>),
    Files(Listing<FileChange>),
    Comparison(Box<Comparison>),
    /// The text of a file.
    File(FileContent),
    /// A text of git's, as it is.
    Bytes(Vec<u8>),
    Folder(FolderContent),
}
