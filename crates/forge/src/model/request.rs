//! What can be asked: things across repositories, or one call on one repository.

use super::branches::BranchCall;
use super::checks::CheckCall;
use super::comments::CommentCall;
use super::creation::RepositoryOrder;
use super::issues::IssueCall;
use super::labels::LabelCall;
use super::other_refs::RefCall;
use super::paging::Page;
use super::pulls::PullCall;
use super::refs::GitCall;
use super::relations::RelationCall;
use super::repository_calls::RepositoryCall;
use super::reviews::ReviewCall;
use super::search::IssueQuery;

/// One request, as the REST API would carry it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Who am I?
    GetUser,
    /// → `Repositories` that one has a role in, or those of an owner that one can see; by name
    ListRepositories { owner: Option<String>, page: Page },
    /// → `Repository`, owned by whoever asks
    CreateRepository(RepositoryOrder),
    /// → `Issues` and pulls wherever one can see them, the newest first
    SearchIssues { query: IssueQuery, page: Page },
    /// A call on a repository, named `owner/name` in any case.
    On { repo: String, call: Call },
}

impl Request {
    /// A call on a repository: `Request::on("o/r", IssueCall::Get { number: 1 })`.
    #[must_use]
    pub fn on(repo: impl Into<String>, call: impl Into<Call>) -> Self {
        Self::On { repo: repo.into(), call: call.into() }
    }
}

/// Calls on a repository, one group per resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Repository(RepositoryCall),
    Label(LabelCall),
    Issue(IssueCall),
    Comment(CommentCall),
    Relation(RelationCall),
    Pull(PullCall),
    Review(ReviewCall),
    Check(CheckCall),
    Branch(BranchCall),
    Git(GitCall),
    Ref(RefCall),
}

macro_rules! call_from {
    ($($group:ident($call:ty)),* $(,)?) => {
        $(impl From<$call> for Call {
            fn from(call: $call) -> Self {
                Self::$group(call)
            }
        })*
    };
}

call_from!(
    Repository(RepositoryCall),
    Label(LabelCall),
    Issue(IssueCall),
    Comment(CommentCall),
    Relation(RelationCall),
    Pull(PullCall),
    Review(ReviewCall),
    Check(CheckCall),
    Branch(BranchCall),
    Git(GitCall),
    Ref(RefCall),
);
