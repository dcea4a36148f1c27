//! A small GitHub, in three layers that know nothing of the one above. [`Forge`] is a pure model:
//! one request by one user at one moment in, answer and events out. [`Site`] is the REST API as a
//! pure function over it. [`Running`] is both on a socket, with git over HTTP, a state that survives
//! kill -9, webhooks and local checks. `FIDELITY.md` beside this crate lists what is modelled, what
//! is simplified and what is left out.
//!
//! ```
//! use ralph_forge::{Forge, IssueCall, NewIssue, NewRepository, Reply, Request};
//!
//! let mut forge = Forge::new();
//! forge.create_user("ada");
//! forge.create_repository(NewRepository::named("ada", "app"))?;
//! let issue = NewIssue { title: "It breaks".to_owned(), ..NewIssue::default() };
//! let now = 1_700_000_000;
//! let (response, events) =
//!     forge.handle("ada", now, Request::on("ada/app", IssueCall::Create(issue)));
//! let Reply::Issue(issue) = response? else { unreachable!() };
//! assert_eq!((issue.number, events.len()), (1, 1));
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

pub use control::{ControlError, Imported, add_app, add_user, import, list_tokens, revoke_tokens};
pub use git::commit::{Commit, Content, NewCommit};
pub use git::diff::{
    ChangeForm, EntryKind, FileChange, FileContent, FileStatus, FolderContent, FolderEntry,
};
pub use git::object_kind::{NewTag, ObjectKind, TagObject};
pub use git::sha::{BadSha, Sha};
pub use git::trial::Trial;
pub use http::{
    AddedApp, Answered, Caller, Count, Delivery, DeliveryOutcome, ListedToken, NewApp, OpenedIssue,
    Portrait, RouteCount, Site, SiteSettings, Thread, VisitError, Visitor, routes,
};
pub use model::Forge;
pub use model::accounts::{Account, AccountKind};
pub use model::behaviour::Behaviour;
pub use model::branches::{BranchCall, BranchView};
pub use model::check_suites::CheckSuite;
pub use model::checks::{
    Annotation, AnnotationLevel, CheckCall, CheckOutput, CheckRun, CheckRunUpdate, CheckState,
    Conclusion, NewCheckRun,
};
pub use model::comments::{Comment, CommentCall, CommentFilter, CommentSort, CommentView};
pub use model::compare::{CompareStatus, Comparison};
pub use model::creation::RepositoryOrder;
pub use model::event::{
    CheckAction, CommentAction, Event, EventKind, LabelAction, LinkAction, ThreadAction,
};

pub use keeper::KeptError;
pub use model::issue_list::{IssueFilter, IssueSort};
pub use model::issue_view::{DependencySummary, IssueView, PullLink, SubIssueSummary};
pub use model::issues::{CloseReason, IssueCall, IssueEdit, IssueState, NewIssue, StateChange};
pub use model::labels::{Label, LabelCall, LabelEdit, NewLabel};
pub use model::mergeability::MergeState;
pub use model::merging::{MergeMethod, MergeOrder, Merged};
pub use model::other_refs::{Pointer, RefCall, TagView};
pub use model::paging::{Direction, Listing, Page, StateFilter};
pub use model::permission::{Association, CollaboratorPermission, FoldedPermission, Permission};
pub use model::protection::{Enforcement, Protection, RequiredChecks, Rule, RuleView, Ruleset};
pub use model::pull_list::{PullFilter, PullSort};
pub use model::pull_view::{PullSummary, PullView};
pub use model::pulls::{MergeRecord, NewPull, PullCall, PullEdit};
pub use model::receive::{Declined, Push, Received, RefUpdate};
pub use model::refs::{CommitFilter, Expected, GitCall};
pub use model::refusal::{Detail, DetailCode, Refusal};
pub use model::relations::RelationCall;
pub use model::reply::{Reply, Response};
pub use model::repository::{Availability, Feature, NewRepository, Settings, Visibility};
pub use model::repository_calls::{RepositoryCall, RepositoryEdit, RepositoryView};
pub use model::request::{Call, Request};
pub use model::reviews::{Review, ReviewCall, ReviewVerdict, ReviewView};
pub use model::search::{IssueQuery, SearchPlaces, ThreadKind};
pub use model::setup::BranchCommit;
pub use model::statuses::{CombinedStatus, CommitStatus, NewStatus, StatusState};
pub use model::timeline::{IssueReference, TimelineEntry, TimelineEvent};
pub use persist::{FolderError, StoreError};
pub use process::Containment;
pub use server::{Credentials, Options, Running, ServeError};
