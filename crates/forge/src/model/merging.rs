//! Merging a pull: by merge commit, squashed to one commit, or rebased.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::EventKind;
use super::issues::{CloseReason, IssueKey};
use super::permission::Permission;
use super::pulls::MergeRecord;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use super::timeline::TimelineEvent;
use crate::git::Replayed;
use crate::git::commit::{Content, NewCommit};
use crate::git::sha::Sha;
use crate::git::trial::Trial;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MergeMethod {
    #[default]
    Merge,
    Squash,
    Rebase,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeOrder {
    pub method: MergeMethod,
    /// Refused with 409 when the head is another commit by now.
    pub expected_head: Option<Sha>,
    /// Message of the merge or squash commit instead of GitHub's own.
    pub message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The new tip of the base.
    pub sha: Sha,
}

operations! {
    MergePull { number: u64, order: MergeOrder }
}

impl Operation for MergePull {
    type Reply = Merged;

    fn run(self, context: &mut Context<'_>) -> Result<Merged, Refusal> {
        let (key, order) = (context.key(self.number), &self.order);
        context.pull_at(key)?;
        context.need(Permission::Write)?;
        let tree = context.check_merge(key, order)?;
        let pull = context.pull_at(key)?;
        let (head_branch, base_branch) = (pull.head.clone(), pull.base.clone());
        let sha = context.make_merge(key, order, tree)?;
        let base = context.repo()?.base_tip(self.number)?;
        context.mark_merged(key, sha, base)?;
        context.move_branch(&base_branch, Some(sha), false)?;
        let deletes = context.repo()?.settings.delete_branch_on_merge;
        if deletes && context.view().may_delete(&head_branch)? {
            context.move_branch(&head_branch, None, false)?;
        }
        Ok(Merged { sha })
    }
}

impl Context<'_> {
    /// Returns the merged tree, if nothing stands against the merge.
    fn check_merge(&mut self, key: IssueKey, order: &MergeOrder) -> Result<Sha, Refusal> {
        let pull = self.pull_at(key)?;
        let (head, draft) = (pull.head_sha, pull.draft);
        let base = self.repo()?.base_tip(key.number)?;
        if !self.issue_at(key)?.state.is_open() {
            return Err(Refusal::not_mergeable("Pull Request is not mergeable"));
        }
        if order.expected_head.is_some_and(|expected| expected != head) {
            let words = "Head branch was modified. Review and try the merge again.";
            return Err(Refusal::conflict(words));
        }
        if draft {
            return Err(Refusal::not_mergeable("Pull Request is still a draft"));
        }
        if !self.repo()?.settings.merge_methods.contains(&order.method) {
            return Err(Refusal::not_mergeable(order.method.not_allowed()));
        }
        let tree = match &*self.repo_mut()?.git.trial(base, head)? {
            Trial::Clean(tree) => *tree,
            Trial::Conflict(_paths) => {
                return Err(Refusal::not_mergeable("Pull Request is not mergeable"));
            }
        };
        match self.view().merge_obstacle(key)? {
            Some(obstacle) => Err(Refusal::not_mergeable(obstacle)),
            None => Ok(tree),
        }
    }

    fn make_merge(&mut self, key: IssueKey, order: &MergeOrder, tree: Sha) -> Result<Sha, Refusal> {
        let base = self.repo()?.base_tip(key.number)?;
        let head = self.pull_at(key)?.head_sha;
        let parents = match order.method {
            MergeMethod::Merge => vec![base, head],
            MergeMethod::Squash => vec![base],
            MergeMethod::Rebase => return self.rebase_merge(key, base),
        };
        let message = match &order.message {
            Some(message) => message.clone(),
            None => self.repo()?.merge_message(key.number, order.method)?,
        };
        let (author, at) = (self.actor.clone(), self.now);
        let content = Content::Whole(tree);
        let commit = NewCommit { parents, content, message, author, at };
        Ok(self.repo_mut()?.git.add(commit)?)
    }

    fn rebase_merge(&mut self, key: IssueKey, base: Sha) -> Result<Sha, Refusal> {
        let commits = self.repo()?.pull_split(key.number)?.commits;
        let now = self.now;
        match self.repo_mut()?.git.replay(&commits, base, now)? {
            Replayed::Onto(sha) => Ok(sha),
            Replayed::Conflict => Err(Refusal::not_mergeable("This branch can't be rebased")),
        }
    }

    /// Closes a pull as merged, and the issues its body names when it went to the default branch.
    /// Done before the base moves, so that the pull counts as what closed them.
    pub(super) fn mark_merged(
        &mut self,
        key: IssueKey,
        commit: Sha,
        base_before: Sha,
    ) -> Result<(), Refusal> {
        let (by, at) = (self.actor.clone(), self.now);
        let author = self.issue_at(key)?.author.to_lowercase();
        let pull = self.pull_at_mut(key)?;
        pull.merged = Some(MergeRecord { by, at, commit });
        pull.base_sha = base_before;
        let into = pull.base.clone();
        let repo = self.repo_mut()?;
        repo.contributors.insert(author);
        let closes = repo.default_branch == into;
        self.record(key, TimelineEvent::Merged { commit })?;
        self.mark_closed(key, CloseReason::Completed, None)?;
        self.emit(EventKind::PullMerged { number: key.number, merge_commit: commit });
        if closes { self.close_by_pull(key) } else { Ok(()) }
    }
}

impl Repository {
    pub(super) fn base_tip(&self, number: u64) -> Result<Sha, Refusal> {
        let tip = self.branches.get(&self.pull(number)?.base).copied();
        tip.ok_or_else(|| Refusal::not_mergeable("Pull Request is not mergeable"))
    }

    pub(super) fn merge_message(
        &self,
        number: u64,
        method: MergeMethod,
    ) -> Result<String, Refusal> {
        let (title, owner) = (&self.issue(number)?.title, &self.owner);
        match method {
            MergeMethod::Merge | MergeMethod::Rebase => {
                let head = &self.pull(number)?.head;
                Ok(format!("Merge pull request #{number} from {owner}/{head}\n\n{title}"))
            }
            MergeMethod::Squash => {
                let commits = self.pull_split(number)?.commits;
                let list = commits.iter().map(|commit| format!("\n\n* {}", commit.message));
                Ok(format!("{title} (#{number}){}", list.collect::<String>()))
            }
        }
    }
}

impl MergeMethod {
    fn not_allowed(self) -> &'static str {
        match self {
            Self::Merge => "Merge commits are not allowed on this repository.",
            Self::Squash => "Squash merges are not allowed on this repository.",
            Self::Rebase => "Rebase merges are not allowed on this repository.",
        }
    }
}
