//! Bringing a pull up to date with its base: accepted at once, pushed later.

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::repository::RepositoryId;
use super::turn::Turn;
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

impl Turn<'_> {
    pub(super) fn accept_branch_update(
        &mut self,
        number: u64,
        expected_head: Option<Sha>,
    ) -> Response {
        let key = self.key(number);
        let head = self.pull_at(key)?.head_sha;
        self.need(Permission::Write)?;
        if !self.issue(number)?.state.is_open() {
            return Err(Refusal::unprocessable("Pull request is closed"));
        }
        if expected_head.is_some_and(|expected| expected != head) {
            let words = "expected head sha didn\u{2019}t match current head ref.";
            return Err(Refusal::unprocessable(words));
        }
        let base = self.base_tip(key)?;
        let git = &mut self.repo_mut()?.git;
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
        let (actor, repository) = (self.actor.clone(), self.repository_id());
        let update = BranchUpdate { actor, repository, number, head };
        if self.holds(Behaviour::BranchUpdatesComeLater) {
            self.forge.branch_updates.push_back(update);
        } else {
            self.push_branch_update(&update)?;
        }
        Ok(Reply::Accepted)
    }

    /// Merges the base as it is now into the head, if the head is still the one that was meant.
    pub(super) fn push_branch_update(&mut self, update: &BranchUpdate) -> Result<(), Refusal> {
        let key = self.key(update.number);
        let pull = self.pull_at(key)?;
        let (branch, base_name) = (pull.head.clone(), pull.base.clone());
        let open = self.issue_at(key)?.state.is_open();
        if !open || pull.head_sha != update.head {
            return Err(Refusal::conflict("the pull request changed meanwhile"));
        }
        let base = self.base_tip(key)?;
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
