//! Merging a pull: by merge commit, squashed to one commit, or rebased.

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::event::EventKind;
use super::issues::CloseReason;
use super::permission::Permission;
use super::pulls::MergeRecord;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::timeline::TimelineEvent;
use super::turn::{IssueKey, Turn};
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

impl Turn<'_> {
    pub(super) fn merge(&mut self, number: u64, order: &MergeOrder) -> Response {
        let key = self.key(number);
        self.pull_at(key)?;
        self.need(Permission::Write)?;
        let tree = self.check_merge(key, order)?;
        let (head_branch, base_branch) = {
            let pull = self.pull_at(key)?;
            (pull.head.clone(), pull.base.clone())
        };
        let sha = self.make_merge(key, order, tree)?;
        let base = self.base_tip(key)?;
        self.mark_merged(key, sha, base)?;
        self.move_branch(&base_branch, Some(sha), false)?;
        if self.repo()?.settings.delete_branch_on_merge && self.deletable(&head_branch)? {
            self.move_branch(&head_branch, None, false)?;
        }
        Ok(Reply::Merged(Merged { sha }))
    }

    /// The merged tree, if everything allows it.
    fn check_merge(&mut self, key: IssueKey, order: &MergeOrder) -> Result<Sha, Refusal> {
        let pull = self.pull_at(key)?;
        let (head, draft) = (pull.head_sha, pull.draft);
        let base = self.base_tip(key)?;
        if !self.issue_at(key)?.state.is_open() {
            return Err(Refusal::not_mergeable("Pull Request is not mergeable"));
        }
        let expected = order.expected_head;
        let expected = expected.filter(|_sha| self.holds(Behaviour::MergesExpectTheirHead));
        if expected.is_some_and(|expected| expected != head) {
            let words = "Head branch was modified. Review and try the merge again.";
            return Err(Refusal::conflict(words));
        }
        if draft && self.holds(Behaviour::DraftsCannotBeMerged) {
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
        match self.merge_obstacle(key)? {
            Some(obstacle) => Err(Refusal::not_mergeable(obstacle)),
            None => Ok(tree),
        }
    }

    pub(super) fn base_tip(&self, key: IssueKey) -> Result<Sha, Refusal> {
        let tip = self.repo_at(key.repository)?.branches.get(&self.pull_at(key)?.base).copied();
        tip.ok_or_else(|| Refusal::not_mergeable("Pull Request is not mergeable"))
    }

    fn make_merge(&mut self, key: IssueKey, order: &MergeOrder, tree: Sha) -> Result<Sha, Refusal> {
        let base = self.base_tip(key)?;
        let head = self.pull_at(key)?.head_sha;
        let parents = match order.method {
            MergeMethod::Merge => vec![base, head],
            MergeMethod::Squash => vec![base],
            MergeMethod::Rebase => return self.rebase_merge(key, base),
        };
        let message = match &order.message {
            Some(message) => message.clone(),
            None => self.merge_message(key, order.method)?,
        };
        let (author, at) = (self.actor.clone(), self.now);
        let content = Content::Whole(tree);
        let commit = NewCommit { parents, content, message, author, at };
        Ok(self.repo_mut()?.git.add(commit)?)
    }

    fn rebase_merge(&mut self, key: IssueKey, base: Sha) -> Result<Sha, Refusal> {
        let commits = self.pull_split(key)?.commits;
        let now = self.now;
        match self.repo_mut()?.git.replay(&commits, base, now)? {
            Replayed::Onto(sha) => Ok(sha),
            Replayed::Conflict => Err(Refusal::not_mergeable("This branch can't be rebased")),
        }
    }

    pub(super) fn merge_message(
        &self,
        key: IssueKey,
        method: MergeMethod,
    ) -> Result<String, Refusal> {
        let title = &self.issue_at(key)?.title;
        let pull = self.pull_at(key)?;
        let owner = &self.repo_at(key.repository)?.owner;
        let number = key.number;
        match method {
            MergeMethod::Merge | MergeMethod::Rebase => {
                let head = &pull.head;
                Ok(format!("Merge pull request #{number} from {owner}/{head}\n\n{title}"))
            }
            MergeMethod::Squash => {
                let commits = self.pull_split(key)?.commits;
                let list = commits.iter().map(|commit| format!("\n\n* {}", commit.message));
                Ok(format!("{title} (#{number}){}", list.collect::<String>()))
            }
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
        let anywhere = !repo.holds(Behaviour::OnlyTheDefaultBranchCloses);
        let closes = anywhere || repo.default_branch == into;
        self.record(key, TimelineEvent::Merged { commit })?;
        self.mark_closed(key, CloseReason::Completed, None)?;
        self.emit(EventKind::PullMerged { number: key.number, merge_commit: commit });
        if closes { self.close_by_pull(key) } else { Ok(()) }
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
