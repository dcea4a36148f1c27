//! The forge as one user sees it from a request in one repository. A view reads and changes nothing.

use super::Forge;
use super::issues::{Issue, IssueKey};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::{Repository, RepositoryId};
use super::timeline::IssueReference;

#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(super) forge: &'a Forge,
    pub(super) viewer: &'a str,
    repository: RepositoryId,
}

impl<'a> View<'a> {
    pub(super) fn new(forge: &'a Forge, viewer: &'a str, repository: RepositoryId) -> Self {
        Self { forge, viewer, repository }
    }

    pub(super) fn repository_id(self) -> RepositoryId {
        self.repository
    }

    /// Returns the repository of the request.
    pub(super) fn repo(self) -> Result<&'a Repository, Refusal> {
        self.forge.repo_at(self.repository)
    }

    /// Returns the key of an issue or pull in the repository of the request.
    pub(super) fn key(self, number: u64) -> IssueKey {
        IssueKey { repository: self.repository, number }
    }

    /// Returns the permission of the viewer in the repository of the request.
    pub(super) fn permission(self) -> Permission {
        self.permission_in(self.repository)
    }

    pub(super) fn permission_in(self, id: RepositoryId) -> Permission {
        let permission = |repo| self.forge.permission_in(repo, self.viewer);
        self.forge.repo_at(id).map_or(Permission::None, permission)
    }

    /// Refuses requests to a repository that the viewer cannot see, as if it did not exist, and to
    /// one whose git is damaged.
    pub(super) fn need_read(self) -> Result<(), Refusal> {
        if self.permission() == Permission::None {
            return Err(Refusal::not_found());
        }
        match &self.repo()?.set_aside {
            Some(why) => Err(Refusal::set_aside(why)),
            None => Ok(()),
        }
    }

    /// Refuses a request unless the viewer has this permission. GitHub has one message for all of
    /// them, whichever permission is missing.
    pub(super) fn need(self, permission: Permission) -> Result<(), Refusal> {
        if self.permission() >= permission {
            Ok(())
        } else {
            Err(Refusal::forbidden("Must have admin rights to Repository."))
        }
    }

    pub(super) fn sees(self, key: IssueKey) -> bool {
        self.permission_in(key.repository) > Permission::None
    }

    /// Returns the issue with this database id, if the viewer can see it.
    pub(super) fn issue_by_id(self, id: u64) -> Result<IssueKey, Refusal> {
        let key = self.forge.issue_ids.get(&id).copied().filter(|key| self.sees(*key));
        key.ok_or_else(Refusal::not_found)
    }
}

impl Forge {
    pub(super) fn repo_at(&self, id: RepositoryId) -> Result<&Repository, Refusal> {
        self.repositories.get(&id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn issue_at(&self, key: IssueKey) -> Result<&Issue, Refusal> {
        self.repo_at(key.repository)?.issue(key.number)
    }

    /// Returns the name of an issue or pull for entries and events of others.
    pub(super) fn reference_to(&self, key: IssueKey) -> Result<IssueReference, Refusal> {
        let issue = self.issue_at(key)?;
        Ok(IssueReference {
            repo: self.repo_at(key.repository)?.full_name(),
            number: key.number,
            id: issue.id,
            is_pull: issue.pull.is_some(),
        })
    }
}
