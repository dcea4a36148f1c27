//! Setup and inspection from outside the API, for the server, tests and simulations: users,
//! repositories and commits.

use std::sync::Arc;

use super::Forge;
use super::accounts::{Account, AccountKind};
use super::context::Context;
use super::event::Event;
use super::issues::NewIssue;
use super::permission::Permission;
use super::protection::Ruleset;
use super::refs::{Expected, PushBranch};
use super::refusal::Refusal;
use super::repository::{NewRepository, Repository, RepositoryId, Settings};
use super::request::on;
use crate::git::commit::{Commit, Content, NewCommit};
use crate::git::sha::Sha;
use crate::git::trial::Trial;

/// A commit to be made on top of a branch and pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCommit {
    pub branch: String,
    pub content: Content,
    pub message: String,
}

impl Forge {
    /// Makes a person; one that is there already stays.
    pub fn create_user(&mut self, login: &str) -> Account {
        self.create_account(login, AccountKind::User)
    }

    /// Makes a person, bot or organisation; one that is there already stays.
    pub fn create_account(&mut self, login: &str, kind: AccountKind) -> Account {
        let key = login.to_lowercase();
        if let Some(account) = self.accounts.get(&key) {
            return account.clone();
        }
        let account = Account { id: self.next_id(), login: login.to_owned(), kind };
        self.accounts.insert(key, account.clone());
        account
    }

    /// Makes a public repository with one commit on its default branch, or an empty one.
    ///
    /// # Errors
    /// The owner does not exist (404) or the name is taken (422).
    pub fn create_repository(&mut self, new: NewRepository) -> Result<(), Refusal> {
        let (owner, full_name) = self.free_name(&new.owner, &new.name)?;
        let id = RepositoryId(self.next_id());
        let git = self.git_store.make(id.0)?;
        let repository = Repository::new(id, owner, git, new)?;
        self.repositories.insert(id, repository);
        self.repository_names.insert(full_name, id);
        Ok(())
    }

    /// Gives a user a role in a repository, or removes it with `Permission::None`.
    ///
    /// # Errors
    /// The repository or the account does not exist.
    pub fn grant(&mut self, repo: &str, login: &str, role: Permission) -> Result<(), Refusal> {
        let login = login.to_lowercase();
        if !self.accounts.contains_key(&login) {
            return Err(Refusal::not_found());
        }
        self.repository_mut(repo)?.collaborators.insert(login, role);
        Ok(())
    }

    /// Returns the role that a user was given in a repository, `Permission::None` included; `None` when they were given none.
    #[must_use]
    pub fn granted(&self, repo: &str, login: &str) -> Option<Permission> {
        self.repository(repo)?.collaborators.get(&login.to_lowercase()).copied()
    }

    /// Returns whether the role of a user was chosen for this repository alone.
    pub(crate) fn is_role_chosen(&self, repo: &str, login: &str) -> bool {
        let login = login.to_lowercase();
        self.repository(repo).is_some_and(|repo| repo.chosen_roles.contains(&login))
    }

    /// Returns the settings of a repository, to be changed as an administrator would.
    ///
    /// # Errors
    /// The repository does not exist.
    pub fn settings_mut(&mut self, repo: &str) -> Result<&mut Settings, Refusal> {
        Ok(&mut self.repository_mut(repo)?.settings)
    }

    /// Adds a ruleset and returns its id.
    ///
    /// # Errors
    /// The repository does not exist.
    pub fn add_ruleset(&mut self, repo: &str, ruleset: Ruleset) -> Result<u64, Refusal> {
        let id = self.next_id();
        self.repository_mut(repo)?.rulesets.insert(id, ruleset);
        Ok(id)
    }

    /// Opens an issue from a template, which applies its labels without asking for rights.
    ///
    /// # Errors
    /// The repository does not exist or the issue is invalid.
    pub fn open_issue_from_template(
        &mut self,
        who: &str,
        now: u64,
        repo: &str,
        issue: NewIssue,
    ) -> Result<(u64, Vec<Event>), Refusal> {
        let id = self.repository_id(repo).ok_or_else(Refusal::not_found)?;
        let mut context = Context::new(self, who.to_owned(), now, id);
        let number = context.open_issue(issue)?.number;
        Ok((number, context.into_events()))
    }

    /// Makes a branch without asking for rights.
    ///
    /// # Errors
    /// The repository or the commit does not exist, or the branch does.
    pub fn create_branch(&mut self, repo: &str, branch: &str, at: Sha) -> Result<(), Refusal> {
        let repository = self.repository_mut(repo)?;
        let (id, owner) = (repository.id, repository.owner.clone());
        let now = repository.git.commit(at)?.at;
        if repository.branches.contains_key(branch) {
            return Err(Refusal::unprocessable("Reference already exists"));
        }
        Context::new(self, owner, now, id).move_branch(branch, Some(at), false)
    }

    /// Makes a commit that no branch leads to yet; `PushBranch` publishes it.
    ///
    /// # Errors
    /// The repository or a parent does not exist.
    pub fn commit(&mut self, repo: &str, new: NewCommit) -> Result<Sha, Refusal> {
        Ok(self.repository_mut(repo)?.git.add(new)?)
    }

    /// Makes a commit on top of a branch and pushes it as that user; protection holds.
    ///
    /// # Errors
    /// The repository or branch does not exist, or the push is refused.
    pub fn commit_on_branch(
        &mut self,
        who: &str,
        now: u64,
        repo: &str,
        new: BranchCommit,
    ) -> Result<(Sha, Vec<Event>), Refusal> {
        let BranchCommit { branch, content, message } = new;
        let tip = self.branch(repo, &branch).ok_or_else(Refusal::not_found)?;
        let author = who.to_owned();
        let commit = NewCommit { parents: vec![tip], content, message, author, at: now };
        let sha = self.commit(repo, commit)?;
        let push = PushBranch { branch, sha, expected_old: Expected::At(tip), force: false };
        let (response, events) = self.handle(who, now, on(repo, push));
        response.map(|_tip| (sha, events))
    }

    /// Returns the result of merging `head` into `base`, without merging.
    ///
    /// # Errors
    /// The repository or one of the commits does not exist.
    pub fn trial_merge(&mut self, repo: &str, base: Sha, head: Sha) -> Result<Arc<Trial>, Refusal> {
        Ok(self.repository_mut(repo)?.git.trial(base, head)?)
    }

    /// Returns the tip of a branch.
    #[must_use]
    pub fn branch(&self, repo: &str, branch: &str) -> Option<Sha> {
        self.repository(repo)?.branches.get(branch).copied()
    }

    /// Returns the target of a reference that is no branch, by its full name.
    #[must_use]
    pub fn reference(&self, repo: &str, name: &str) -> Option<Sha> {
        self.repository(repo)?.other_references.get(name).copied()
    }

    /// Every branch with its tip, by name.
    pub fn branches(&self, repo: &str) -> impl Iterator<Item = (&str, Sha)> {
        let branches = self.repository(repo).map(|repository| &repository.branches);
        branches.into_iter().flatten().map(|(name, sha)| (name.as_str(), *sha))
    }

    /// A commit, whether or not a branch leads to it.
    #[must_use]
    pub fn find_commit(&self, repo: &str, sha: Sha) -> Option<Arc<Commit>> {
        self.repository(repo)?.git.commit(sha).ok()
    }

    /// The text of a file at a commit.
    #[must_use]
    pub fn text_at(&self, repo: &str, commit: Sha, path: &str) -> Option<Arc<str>> {
        self.repository(repo)?.git.text(commit, path).ok()?
    }

    /// Every path at a commit, in order.
    #[must_use]
    pub fn paths_at(&self, repo: &str, commit: Sha) -> Vec<Arc<str>> {
        let paths = self.repository(repo).and_then(|found| found.git.paths(commit).ok());
        paths.unwrap_or_default()
    }

    /// Returns whether `descendant` is `ancestor` or has it in its history.
    #[must_use]
    pub fn is_ancestor(&self, repo: &str, ancestor: Sha, descendant: Sha) -> bool {
        let repository = self.repository(repo);
        repository.is_some_and(|found| found.git.is_ancestor(ancestor, descendant).unwrap_or(false))
    }

    pub(super) fn repository(&self, full_name: &str) -> Option<&Repository> {
        self.repositories.get(&self.repository_id(full_name)?)
    }

    pub(super) fn repository_mut(&mut self, full_name: &str) -> Result<&mut Repository, Refusal> {
        let id = self.repository_id(full_name).ok_or_else(Refusal::not_found)?;
        self.repositories.get_mut(&id).ok_or_else(Refusal::not_found)
    }
}
