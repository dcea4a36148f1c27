//! Bringing a pull up to date with its base: accepted at once, pushed later.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::RepositoryId;
use super::request::{Operation, operations};
use crate::git::commit::{Content, NewCommit};
use crate::git::sha::Sha;
use crate::git::trial::Trial;

/// An accepted update.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BranchUpdate {
    pub(super) actor: String,
    pub(super) repository: RepositoryId,
    number: u64,
    head: Sha,
}

operations! {
    /// Accepts an update of a pull's branch; `Forge::run_background` pushes it.
    UpdatePullBranch { number: u64, expected_head: Option<Sha> }
}

impl Operation for UpdatePullBranch {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        let key = context.key(self.number);
        let head = context.pull_at(key)?.head_sha;
        context.need(Permission::Write)?;
        if !context.issue_at(key)?.state.is_open() {
            return Err(Refusal::unprocessable("Pull request is closed"));
        }
        if self.expected_head.is_some_and(|expected| expected != head) {
            let words = "expected head sha didn\u{2019}t match current head ref.";
            return Err(Refusal::unprocessable(words));
        }
        let base = context.repo()?.base_tip(self.number)?;
        let git = &mut context.repo_mut()?.git;
        if git.is_ancestor(base, head)? {
            let words = "There are no new commits on the base branch.";
            return Err(Refusal::unprocessable(words));
        }
        match &*git.trial(base, head)? {
            Trial::Clean(_) => {}
            Trial::Conflict(_) => {
                return Err(Refusal::unprocessable("merge conflict between base and head"));
            }
        }
        let (actor, repository) = (context.actor.clone(), context.repository_id());
        let update = BranchUpdate { actor, repository, number: self.number, head };
        context.forge.branch_updates.push_back(update);
        Ok(())
    }
}

impl Context<'_> {
    /// Merges the base as it is now into the head, if the head has not moved since.
    pub(super) fn push_branch_update(&mut self, update: &BranchUpdate) -> Result<(), Refusal> {
        let key = self.key(update.number);
        let pull = self.pull_at(key)?;
        let (branch, base_name) = (pull.head.clone(), pull.base.clone());
        let open = self.issue_at(key)?.state.is_open();
        if !open || pull.head_sha != update.head {
            return Err(Refusal::conflict("the pull request changed meanwhile"));
        }
        let base = self.repo()?.base_tip(update.number)?;
        let (author, at) = (self.actor.clone(), self.now);
        let git = &mut self.repo_mut()?.git;
        let sha = match &*git.trial(base, update.head)? {
            Trial::Clean(tree) => git.add(NewCommit {
                parents: vec![update.head, base],
                content: Content::Whole(*tree),
                message: format!("Merge branch '{base_name}' into {branch}"),
                author,
                at,
            })?,
            Trial::Conflict(_) => {
                return Err(Refusal::conflict("merge conflict between base and head"));
            }
        };
        self.move_branch(&branch, Some(sha), false)
    }
}
