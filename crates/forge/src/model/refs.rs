//! Branches as references, pushes to them, and commits made over the API.

use std::sync::Arc;

use super::context::Context;
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use crate::git::commit::{Commit, Content, NewCommit};
use crate::git::sha::Sha;

/// The tip that a push expects to replace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    #[default]
    Anything,
    /// The branch must not exist.
    Absent,
    At(Sha),
}

operations! {
    /// Moves a branch to a commit that git has already, and returns its tip.
    PushBranch { branch: String, sha: Sha, expected_old: Expected, force: bool }
    CreateBranch { branch: String, sha: Sha }
    /// Returns the tip of a branch.
    GetBranchTip { branch: String }
    MoveBranch { branch: String, sha: Sha, force: bool }
    DeleteBranch { branch: String }
    /// Makes a commit over a tree that git has already; no reference leads to it yet.
    CreateCommit { message: String, tree: Sha, parents: Vec<Sha> }
}

impl Operation for PushBranch {
    type Reply = Sha;

    fn run(self, context: &mut Context<'_>) -> Result<Sha, Refusal> {
        context.push(&self.branch, self.sha, self.expected_old, self.force)
    }
}

impl Operation for CreateBranch {
    type Reply = Sha;

    fn run(self, context: &mut Context<'_>) -> Result<Sha, Refusal> {
        context.need(Permission::Write)?;
        if context.repo()?.branches.contains_key(&self.branch) {
            return Err(Refusal::unprocessable("Reference already exists"));
        }
        context.push(&self.branch, self.sha, Expected::Absent, false)
    }
}

impl Operation for GetBranchTip {
    type Reply = Sha;

    fn run(self, context: &mut Context<'_>) -> Result<Sha, Refusal> {
        context.repo()?.branches.get(&self.branch).copied().ok_or_else(Refusal::not_found)
    }
}

impl Operation for MoveBranch {
    type Reply = Sha;

    fn run(self, context: &mut Context<'_>) -> Result<Sha, Refusal> {
        context.need(Permission::Write)?;
        if !context.repo()?.branches.contains_key(&self.branch) {
            return Err(Refusal::unprocessable("Reference does not exist"));
        }
        context.push(&self.branch, self.sha, Expected::Anything, self.force)
    }
}

impl Operation for DeleteBranch {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Write)?;
        if !context.repo()?.branches.contains_key(&self.branch) {
            return Err(Refusal::unprocessable("Reference does not exist"));
        }
        if !context.view().may_delete(&self.branch)? {
            return Err(Refusal::unprocessable("Cannot delete this branch"));
        }
        context.move_branch(&self.branch, None, false)
    }
}

impl Operation for CreateCommit {
    type Reply = Arc<Commit>;

    fn run(self, context: &mut Context<'_>) -> Result<Arc<Commit>, Refusal> {
        let Self { message, tree, parents } = self;
        context.need(Permission::Write)?;
        let (author, at) = (context.actor.clone(), context.now);
        let git = &mut context.repo_mut()?.git;
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
        Ok(git.commit(sha)?)
    }
}

impl Repository {
    /// Returns the commit that is meant by a branch, a tag, a sha or the beginning of one, `HEAD`,
    /// or a reference in full or without `refs/`.
    pub(super) fn resolve(&self, reference: &str) -> Result<Sha, Refusal> {
        let unknown = || Refusal::unprocessable(format!("No commit found for SHA: {reference}"));
        let branch = |name: &str| self.branches.get(name).copied();
        let tag = |name: &str| self.other_references.get(name).copied();
        let bare = reference.strip_prefix("refs/").unwrap_or(reference);
        let named = branch(reference)
            .or_else(|| bare.strip_prefix("heads/").and_then(branch))
            .or_else(|| (reference == "HEAD").then(|| branch(&self.default_branch)).flatten())
            .or_else(|| tag(reference))
            .or_else(|| tag(&format!("refs/{bare}")))
            .or_else(|| tag(&format!("refs/tags/{reference}")));
        if let Some(sha) = named {
            return self.git.peel(sha)?.ok_or_else(unknown);
        }
        match reference.parse::<Sha>() {
            Ok(sha) if self.git.contains(sha)? => Ok(sha),
            Ok(_) => Err(unknown()),
            Err(_) => self.git.find_commit(reference)?.ok_or_else(unknown),
        }
    }
}
