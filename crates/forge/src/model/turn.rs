//! One request being handled: who asks, when, where, and what it has caused so far.

use serde::{Deserialize, Serialize};

use super::Forge;
use super::behaviour::Behaviour;
use super::event::{Event, EventKind};
use super::issues::Issue;
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::{Repository, RepositoryId};

/// Where an issue or pull is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct IssueKey {
    pub(crate) repository: RepositoryId,
    pub(crate) number: u64,
}

pub(crate) struct Turn<'a> {
    pub(super) forge: &'a mut Forge,
    pub(super) actor: String,
    pub(super) now: u64,
    repository: RepositoryId,
    events: Vec<Event>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        forge: &'a mut Forge,
        actor: String,
        now: u64,
        repository: RepositoryId,
    ) -> Self {
        Self { forge, actor, now, repository, events: Vec::new() }
    }

    pub(super) fn into_events(self) -> Vec<Event> {
        self.events
    }

    pub(super) fn repository_id(&self) -> RepositoryId {
        self.repository
    }

    /// The repository of the request.
    pub(super) fn repo(&self) -> Result<&Repository, Refusal> {
        self.repo_at(self.repository)
    }

    pub(super) fn repo_mut(&mut self) -> Result<&mut Repository, Refusal> {
        self.repo_at_mut(self.repository)
    }

    pub(super) fn repo_at(&self, id: RepositoryId) -> Result<&Repository, Refusal> {
        self.forge.repositories.get(&id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn repo_at_mut(&mut self, id: RepositoryId) -> Result<&mut Repository, Refusal> {
        self.forge.repositories.get_mut(&id).ok_or_else(Refusal::not_found)
    }

    /// A place in the repository of the request.
    pub(super) fn key(&self, number: u64) -> IssueKey {
        IssueKey { repository: self.repository, number }
    }

    /// An issue or pull in the repository of the request.
    pub(super) fn issue(&self, number: u64) -> Result<&Issue, Refusal> {
        self.issue_at(self.key(number))
    }

    pub(super) fn issue_at(&self, key: IssueKey) -> Result<&Issue, Refusal> {
        let repository = self.repo_at(key.repository)?;
        repository.issues.get(&key.number).ok_or_else(Refusal::not_found)
    }

    pub(super) fn issue_at_mut(&mut self, key: IssueKey) -> Result<&mut Issue, Refusal> {
        let repository = self.repo_at_mut(key.repository)?;
        repository.issues.get_mut(&key.number).ok_or_else(Refusal::not_found)
    }

    /// Marks an issue or pull as changed now, which `since` filters see.
    pub(super) fn touch(&mut self, key: IssueKey) -> Result<&mut Issue, Refusal> {
        let (now, touches) = (self.now, self.holds(Behaviour::ChangesTouchTheIssue));
        let issue = self.issue_at_mut(key)?;
        if touches {
            issue.updated_at = now;
        }
        Ok(issue)
    }

    pub(super) fn emit_in(&mut self, repository: RepositoryId, kind: EventKind) {
        let Ok(repo) = self.repo_at(repository).map(Repository::full_name) else { return };
        self.events.push(Event { repo, actor: self.actor.clone(), at: self.now, kind });
    }

    /// What the actor may do in the repository of the request.
    pub(super) fn permission(&self) -> Permission {
        self.permission_in(self.repository)
    }

    pub(super) fn permission_in(&self, id: RepositoryId) -> Permission {
        let may = |repo| self.forge.permission_in(repo, &self.actor);
        self.repo_at(id).map_or(Permission::None, may)
    }

    /// What one may not see does not exist.
    pub(super) fn need_read(&self) -> Result<(), Refusal> {
        match self.permission() {
            Permission::None if self.holds(Behaviour::WhatOneMayNotSeeDoesNotExist) => {
                Err(Refusal::not_found())
            }
            Permission::None => Err(Refusal::forbidden("Must have read access to repository.")),
            Permission::Read
            | Permission::Triage
            | Permission::Write
            | Permission::Maintain
            | Permission::Admin => Ok(()),
        }
    }

    /// Nothing is done in a repository whose git is damaged.
    pub(super) fn need_health(&self) -> Result<(), Refusal> {
        match &self.repo()?.set_aside {
            Some(why) => Err(Refusal::set_aside(why)),
            None => Ok(()),
        }
    }

    /// What one sees but may not do is forbidden. GitHub has one sentence for all of it, whichever
    /// right is missing.
    pub(super) fn need(&self, permission: Permission) -> Result<(), Refusal> {
        if self.permission() >= permission || !self.holds(Behaviour::RightsAreNeeded) {
            Ok(())
        } else {
            Err(Refusal::forbidden("Must have admin rights to Repository."))
        }
    }
}
