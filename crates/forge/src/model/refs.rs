//! Calls about git: branches as references, pushes, commits and their content.

use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::commit::{Content, NewCommit};
use crate::git::diff::{ChangeForm, Detail};
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
    /// → `Commit`: one that no reference leads to yet
    CreateCommit { message: String, tree: Sha, parents: Vec<Sha> },
    /// → `Comparison`
    Compare { base: String, head: String },
    /// → `Commit`
    GetCommit { reference: String },
    /// → `Files`: what a commit changed since its first parent
    CommitFiles { sha: Sha, page: Page },
    /// → `Pulls` whose commits or merge commit this is
    PullsOfCommit { sha: Sha, page: Page },
    /// → `File`, or `Folder`
    /// with its bytes up to so many
    GetContents { reference: String, path: String, bytes_max: usize },
    /// → `Commits`, newest first
    ListCommits { reference: String, filter: CommitFilter, page: Page },
    /// → `Bytes`: the changes from where two references parted to the second
    Diff { base: String, head: String, form: ChangeForm },
    /// → `Bytes`: what a commit changed since its first parent
    CommitDiff { sha: Sha, form: ChangeForm },
}

/// Which commits a list shows; everything named must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitFilter {
    /// They changed this path.
    pub path: Option<String>,
    /// A login, or the name or address that git has.
    pub author: Option<String>,
    pub committer: Option<String>,
    /// Made at or after this moment, in unix seconds.
    pub since: Option<u64>,
    /// Made at or before this moment, in unix seconds.
    pub until: Option<u64>,
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
            GitCall::CreateCommit { message, tree, parents } => {
                self.create_commit(message, tree, parents)
            }
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
            GitCall::PullsOfCommit { sha, page } => self.pulls_of_commit(sha, page),
            GitCall::GetContents { reference, path, bytes_max } => {
                self.contents(&reference, &path, bytes_max)
            }
            GitCall::ListCommits { reference, filter, page } => {
                self.list_commits(&reference, &filter, page)
            }
            GitCall::Diff { base, head, form } => {
                let (base, head) = (self.resolve(&base)?, self.resolve(&head)?);
                let git = &self.repo()?.git;
                let parted = git.split(base, head)?.merge_base;
                Ok(Reply::Bytes(git.show_changes(parted, head, form)?))
            }
            GitCall::CommitDiff { sha, form } => {
                let git = &self.repo()?.git;
                let parent = git.commit(sha)?.parents.first().copied();
                Ok(Reply::Bytes(git.show_changes(parent, sha, form)?))
            }
        }
    }

    /// A commit over a tree that is there already.
    fn create_commit(&mut self, message: String, tree: Sha, parents: Vec<Sha>) -> Response {
        self.need(Permission::Write)?;
        let (author, at) = (self.actor.clone(), self.now);
        let git = &mut self.repo_mut()?.git;
        for parent in &parents {
            if !git.contains(*parent)? {
                return Err(Refusal::unprocessable(
                    "Parent SHA does not exist or is not a commit object",
                ));
            }
        }
        if !git.contains_tree(tree)? {
            return Err(Refusal::unprocessable("Tree SHA does not exist"));
        }
        let content = Content::Whole(tree);
        let sha = git.add(NewCommit { parents, content, message, author, at })?;
        Ok(Reply::Commit(git.commit(sha)?))
    }

    /// The commit that is meant by a branch, a tag, a sha or the beginning of one, `HEAD`, or a
    /// reference in full or without `refs/`.
    pub(super) fn resolve(&self, reference: &str) -> Result<Sha, Refusal> {
        let repo = self.repo()?;
        let unknown = || Refusal::unprocessable(format!("No commit found for SHA: {reference}"));
        let branch = |name: &str| repo.branches.get(name).copied();
        let tag = |name: &str| repo.other_references.get(name).copied();
        let bare = reference.strip_prefix("refs/").unwrap_or(reference);
        let named = branch(reference)
            .or_else(|| bare.strip_prefix("heads/").and_then(branch))
            .or_else(|| (reference == "HEAD").then(|| branch(&repo.default_branch)).flatten())
            .or_else(|| tag(reference))
            .or_else(|| tag(&format!("refs/{bare}")))
            .or_else(|| tag(&format!("refs/tags/{reference}")));
        if let Some(sha) = named {
            return repo.git.peel(sha)?.ok_or_else(unknown);
        }
        match reference.parse::<Sha>() {
            Ok(sha) if repo.git.contains(sha)? => Ok(sha),
            Ok(_) => Err(unknown()),
            Err(_) => repo.git.find_commit(reference)?.ok_or_else(unknown),
        }
    }
}
