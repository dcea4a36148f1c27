//! A small GitHub, in three layers that know nothing of the one above. [`Forge`] is a pure model:
//! one request by one user at one moment in, answer and events out. [`Site`] is the REST API as a
//! pure function over it. [`Running`] is both on a socket, with git over HTTP, a state that survives
//! kill -9, webhooks and local checks. `FIDELITY.md` beside this crate lists what is modelled, what
//! is simplified and what is left out.
//!
//! ```
//! use ralph_forge::{CreateIssue, Forge, NewIssue, NewRepository, on};
//!
//! let mut forge = Forge::new();
//! forge.create_user("ada");
//! forge.create_repository(NewRepository::named("ada", "app"))?;
//! let issue = NewIssue { title: "It breaks".to_owned(), ..NewIssue::default() };
//! let now = 1_700_000_000;
//! let (reply, events) = forge.handle("ada", now, on("ada/app", CreateIssue(issue)));
//! assert_eq!((reply?.number, events.len()), (1, 1));
//! # Ok::<(), ralph_forge::Refusal>(())
//! ```

mod chance;
mod check_runner;
mod clock;
mod control;
mod deliver;
mod git;
mod http;
mod keeper;
mod model;
mod persist;
mod process;
mod server;
mod smart_http;

pub use control::revoke_tokens;
pub use control::{ControlError, Imported, add_app, add_user, import, list_tokens, repair};
pub use git::commit::{Commit, Content, NewCommit};
pub use git::diff::{
    ChangeForm, EntryKind, FileChange, FileContent, FileStatus, FolderContent, FolderEntry,
};
pub use git::object_kind::{NewTag, ObjectKind, TagObject};
pub use git::sha::{BadSha, Sha};
pub use git::trial::Trial;
pub use http::{
    AddedApp, Answered, ApiClient, ApiClientError, Caller, Count, Delivery, DeliveryOutcome,
    ListedToken, NewApp, OpenedIssue, RouteCount, Site, SiteSettings, Snapshot, Thread, routes,
};
pub use keeper::KeptError;
pub use model::Forge;
pub use model::accounts::{Account, AccountKind};
pub use model::branches::{BranchView, GetBranch, ListBranches};
pub use model::check_suites::{
    CheckSuite, GetCheckSuite, ListCheckSuites, ListSuiteRuns, RerequestCheckSuite,
};
pub use model::checks::{
    Annotation, AnnotationLevel, CheckOutput, CheckRun, CheckRunUpdate, CheckState, Conclusion,
    CreateCheckRun, GetCheckRun, ListCheckRuns, NewCheckRun, RerequestCheckRun, UpdateCheckRun,
};
pub use model::comments::{
    Comment, CommentFilter, CommentSort, CommentView, CreateComment, DeleteComment, EditComment,
    GetComment, ListComments, ListRepositoryComments,
};
pub use model::compare::{CompareCommits, CompareStatus, Comparison, ListCommitPulls};
pub use model::context::Context;
pub use model::creation::{CreateRepository, ListRepositories, RepositoryOrder};
pub use model::dependencies::{AddBlockedBy, ListBlockedBy, ListBlocking, RemoveBlockedBy};
pub use model::event::{
    CheckAction, CommentAction, Event, EventKind, LabelAction, LinkAction, ThreadAction,
};
pub use model::history::{
    CommitFilter, Contents, GetCommit, GetCommitDiff, GetContents, GetDiff, ListCommitFiles,
    ListCommits,
};
pub use model::issue_labels::{AddLabels, ListIssueLabels, RemoveLabel, SetLabels};
pub use model::issue_list::{IssueFilter, IssueSort, ListIssues};
pub use model::issue_view::{DependencySummary, IssueView, PullLink, SubIssueSummary};
pub use model::issues::{
    CloseReason, CreateIssue, EditIssue, GetIssue, IssueEdit, IssueState, NewIssue, StateChange,
};
pub use model::labels::{
    CreateLabel, DeleteLabel, EditLabel, GetLabel, Label, LabelEdit, ListLabels, NewLabel,
};
pub use model::mergeability::MergeState;
pub use model::merging::{MergeMethod, MergeOrder, MergePull, Merged};
pub use model::other_refs::{
    CreateReference, CreateTag, DeleteReference, GetReference, GetTag, ListReferences, ListTags,
    Pointer, TagView, UpdateReference,
};
pub use model::paging::{Direction, Listing, Page, StateFilter};
pub use model::permission::{
    Association, CollaboratorPermission, FoldedPermission, GetPermission, Permission,
};
pub use model::protection::{
    AddContexts, DeleteProtection, Enforcement, GetProtection, ListRules, Protection,
    RequiredChecks, Rule, RuleView, Ruleset, SetProtection,
};
pub use model::pull_list::{ListPulls, PullFilter, PullSort};
pub use model::pull_view::{ListPullCommits, ListPullFiles, PullSummary, PullView};
pub use model::pulls::{CreatePull, EditPull, GetPull, MergeRecord, NewPull, PullEdit, SetDraft};
pub use model::receive::{Declined, Push, Received, RefUpdate};
pub use model::refs::{
    CreateBranch, CreateCommit, DeleteBranch, Expected, GetBranchTip, MoveBranch, PushBranch,
};
pub use model::refusal::{Detail, DetailCode, Refusal};
pub use model::repository::{Availability, Feature, NewRepository, Settings, Visibility};
pub use model::repository_calls::{
    CheckCollaborator, EditRepository, GetRepository, GrantRole, ListCollaborators, RepositoryEdit,
    RepositoryView, RevokeRole,
};
pub use model::request::{GetUser, On, Operation, Request, on};
pub use model::reviews::{CreateReview, ListReviews, Review, ReviewVerdict, ReviewView};
pub use model::search::{IssueQuery, SearchIssues, SearchPlaces, ThreadKind};
pub use model::setup::BranchCommit;
pub use model::statuses::{
    CombinedStatus, CommitStatus, CreateStatus, GetCombinedStatus, ListStatuses, NewStatus,
    StatusState,
};
pub use model::sub_issues::{AddSubIssue, GetParent, ListSubIssues, RemoveSubIssue};
pub use model::timeline::{
    IssueReference, ListIssueEvents, ListTimeline, TimelineEntry, TimelineEvent,
};
pub use model::update_branch::UpdatePullBranch;
pub use persist::{FolderError, StoreError};
pub use server::{Credentials, Options, Running, ServeError};
