//! Calls about git: branches as references, pushes, commits and their content.

use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::diff::Detail;
use crate::git::sha::Sha;

/// What a push expects to replace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    #[default]
    Anything,
    /// The branch must not exist.
    Absent,
    At(Sha),
}

/// A `reference` is a branch or a full sha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitCall {
    /// → `Reference`; the commits are in the graph already
    Push { branch: String, sha: Sha, expected_old: Expected, force: bool },
    /// → `Reference`
    CreateRef { branch: String, sha: Sha },
    /// → `Reference`
    GetRef { branch: String },
    /// → `Reference`
    UpdateRef { branch: String, sha: Sha, force: bool },
    /// → `Done`
    DeleteRef { branch: String },
    /// → `Comparison`
    Compare { base: String, head: String },
    /// → `Commit`
    GetCommit { reference: String },
    /// → `Files`: what a commit changed since its first parent
    CommitFiles { sha: Sha, page: Page },
    /// → `Pulls` whose commits or merge commit this is
    PullsOfCommit { sha: Sha },
    /// → `Text`, or `Folder`
    GetContents { reference: String, path: String },
    /// → `References`: branches whose name begins so
    MatchingRefs { prefix: String },
    /// → `Commits`, newest first; of one path only, if it is named
    ListCommits { reference: String, path: Option<String>, page: Page },
}

impl Turn<'_> {
    pub(super) fn git_call(&mut self, call: GitCall) -> Response {
        match call {
            GitCall::Push { branch, sha, expected_old, force } => {
                self.push(&branch, sha, expected_old, force)
            }
            GitCall::CreateRef { branch, sha } => {
                self.need(Permission::Write)?;
                if self.repo()?.branches.contains_key(&branch) {
                    return Err(Refusal::unprocessable("Reference already exists"));
                }
                self.push(&branch, sha, Expected::Absent, false)
            }
            GitCall::GetRef { branch } => {
                let sha = self.repo()?.branches.get(&branch);
                Ok(Reply::Reference(*sha.ok_or_else(Refusal::not_found)?))
            }
            GitCall::UpdateRef { branch, sha, force } => {
                self.need(Permission::Write)?;
                if !self.repo()?.branches.contains_key(&branch) {
                    return Err(Refusal::unprocessable("Reference does not exist"));
                }
                self.push(&branch, sha, Expected::Anything, force)
            }
            GitCall::DeleteRef { branch } => self.delete_branch(&branch),
            GitCall::Compare { base, head } => self.compare(&base, &head),
            GitCall::GetCommit { reference } => {
                let sha = self.resolve(&reference)?;
                Ok(Reply::Commit(self.repo()?.git.commit(sha)?))
            }
            GitCall::CommitFiles { sha, page } => {
                let git = &self.repo()?.git;
                let parent = git.commit(sha)?.parents.first().copied();
                let files = git.changes(parent, sha, Detail::Patches)?;
                Ok(Reply::Files(Listing::of(&files, page, Clone::clone)))
            }
            GitCall::PullsOfCommit { sha } => self.pulls_of_commit(sha),
            GitCall::GetContents { reference, path } => self.contents(&reference, &path),
            GitCall::MatchingRefs { prefix } => self.matching_refs(&prefix),
            GitCall::ListCommits { reference, path, page } => {
                self.list_commits(&reference, path.as_deref(), page)
            }
        }
    }

    /// The commit that a branch or a full sha means.
    pub(super) fn resolve(&self, reference: &str) -> Result<Sha, Refusal> {
        let repo = self.repo()?;
        if let Some(sha) = repo.branches.get(reference) {
            return Ok(*sha);
        }
        match reference.parse::<Sha>() {
            Ok(sha) if repo.git.contains(sha)? => Ok(sha),
            Ok(_) | Err(_) => {
                Err(Refusal::unprocessable(format!("No commit found for SHA: {reference}")))
            }
        }
    }
}
