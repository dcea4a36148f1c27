//! Reading the forge without rights: for the parts of an answer or a webhook beside its subject.
//! Reading computes and changes nothing.

use std::sync::Arc;

use super::Forge;
use super::accounts::Account;
use super::branches::BranchView;
use super::checks::CheckRun;
use super::comments::CommentView;
use super::issue_view::IssueView;
use super::labels::Label;
use super::merging::MergeMethod;
use super::permission::Permission;
use super::pull_view::PullView;
use super::repository::Repository;
use super::repository_calls::RepositoryView;
use super::reviews::ReviewView;
use super::statuses::CommitStatus;
use super::view::View;
use crate::git::commit::Commit;
use crate::git::diff::{Detail, FileChange};
use crate::git::sha::Sha;

/// A pull and its two branches, with the commits they are at.
#[derive(Clone, Debug)]
pub(crate) struct PullEnds {
    pub(crate) id: u64,
    pub(crate) number: u64,
    pub(crate) head: (String, Sha),
    pub(crate) base: (String, Sha),
}

impl Forge {
    /// Returns the account with this login, in any case.
    #[must_use]
    pub fn account(&self, login: &str) -> Option<&Account> {
        self.accounts.get(&login.to_lowercase())
    }

    /// Returns a repository with the role of a user, even if that user cannot see it.
    #[must_use]
    pub fn repository_seen_by(&self, full_name: &str, viewer: &str) -> Option<RepositoryView> {
        let repository = self.repository(full_name)?;
        Some(repository.view(repository.permission_of(viewer)))
    }

    /// Every repository as `owner/name`, by id.
    pub fn repository_names(&self) -> impl Iterator<Item = String> {
        self.repositories.values().map(Repository::full_name)
    }

    pub(crate) fn administers_all(&self, login: &str) -> bool {
        self.repositories.values().all(|repo| repo.permission_of(login) == Permission::Admin)
    }

    pub(crate) fn peek_issue(&self, repo: &str, number: u64) -> Option<IssueView> {
        let view = self.public_view(repo)?;
        view.issue(view.key(number)).ok()
    }

    pub(crate) fn peek_pull(&self, repo: &str, number: u64) -> Option<PullView> {
        let view = self.public_view(repo)?;
        view.pull(view.key(number)).ok()
    }

    pub(crate) fn peek_comment(&self, repo: &str, id: u64) -> Option<CommentView> {
        let repository = self.repository(repo)?;
        repository.comments.get(&id).map(|comment| repository.comment_view(comment))
    }

    pub(crate) fn peek_review(&self, repo: &str, id: u64) -> Option<ReviewView> {
        let repository = self.repository(repo)?;
        repository.reviews.get(&id).map(|review| repository.review_view(review))
    }

    pub(crate) fn peek_commit(&self, repo: &str, sha: Sha) -> Option<Arc<Commit>> {
        self.repository(repo)?.git.commit(sha).ok()
    }

    pub(crate) fn peek_label(&self, repo: &str, name: &str) -> Option<Arc<Label>> {
        self.repository(repo)?.label(name).ok().map(Arc::clone)
    }

    /// Returns the time at which a label was made or last changed, if that is known.
    pub(crate) fn label_changed_at(&self, repo: &str, id: u64) -> Option<u64> {
        self.repository(repo)?.labels_changed_at.get(&id).copied()
    }

    pub(crate) fn peek_check_run(&self, repo: &str, id: u64) -> Option<CheckRun> {
        self.repository(repo)?.check_runs.get(&id).cloned()
    }

    /// The newest status of a commit and context.
    pub(crate) fn peek_status(&self, repo: &str, sha: Sha, context: &str) -> Option<CommitStatus> {
        let statuses = self.repository(repo)?.statuses.get(&sha)?;
        statuses.iter().rev().find(|status| status.context == context).cloned()
    }

    /// The branches that a commit is the tip of, by name.
    pub(crate) fn branches_at(&self, repo: &str, sha: Sha) -> Vec<BranchView> {
        let Some(repository) = self.repository(repo) else { return Vec::new() };
        let here = repository.branches.iter().filter(|(_name, tip)| **tip == sha);
        here.map(|(name, tip)| repository.branch_view(name, *tip)).collect()
    }

    /// Open pulls whose head is this commit, by number.
    pub(crate) fn open_pulls_at(&self, repo: &str, head: Sha) -> Vec<PullEnds> {
        let Some(repository) = self.repository(repo) else { return Vec::new() };
        let ends = |number: &u64| {
            let issue = repository.issues.get(number)?;
            let pull = issue.pull.as_ref().filter(|pull| pull.head_sha == head)?;
            Some(PullEnds {
                id: issue.id,
                number: *number,
                head: (pull.head.clone(), pull.head_sha),
                base: (pull.base.clone(), pull.base_sha),
            })
        };
        repository.open_pulls.iter().filter_map(ends).collect()
    }

    /// The check suite of a commit: that of its first run.
    pub(crate) fn suite_id(&self, repo: &str, head: Sha) -> Option<u64> {
        self.repository(repo)?.check_runs_of.get(&head)?.first().copied()
    }

    /// Returns the first line that GitHub would give a merge of this pull.
    pub(crate) fn merge_title(
        &self,
        repo: &str,
        number: u64,
        method: MergeMethod,
    ) -> Option<String> {
        let message = self.repository(repo)?.merge_message(number, method).ok()?;
        message.lines().next().map(str::to_owned)
    }

    /// The commits that moving a branch brings, oldest first.
    pub(crate) fn arrivals(&self, repo: &str, before: Option<Sha>, after: Sha) -> Vec<Arc<Commit>> {
        let Some(repository) = self.repository(repo) else { return Vec::new() };
        let Some(before) = before else {
            return repository.git.commit(after).into_iter().collect();
        };
        repository.git.split(before, after).map(|split| split.commits).unwrap_or_default()
    }

    /// Returns the changes of a commit since its first parent.
    pub(crate) fn changes_of(&self, repo: &str, commit: &Commit) -> Vec<FileChange> {
        let parent = commit.parents.first().copied();
        let git = self.repository(repo).map(|repository| &repository.git);
        let changes = git.map(|git| git.changes(parent, commit.sha, Detail::Counts));
        changes.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns the view of a user without any role.
    fn public_view(&self, repo: &str) -> Option<View<'_>> {
        Some(View::new(self, "", self.repository_id(repo)?))
    }
}
