//! The context of one request: the actor, the time, the repository and the events so far. Changes
//! are made through it; a [`View`] of it reads what the actor can see.

use super::Forge;
use super::event::{Event, EventKind, ThreadAction};
use super::issues::{Issue, IssueKey};
use super::permission::Permission;
use super::pulls::Pull;
use super::refusal::Refusal;
use super::repository::{Repository, RepositoryId};
use super::timeline::{TimelineEntry, TimelineEvent};
use super::view::View;

/// The context of a request that is being carried out.
#[derive(Debug)]
pub struct Context<'a> {
    pub(super) forge: &'a mut Forge,
    pub(super) actor: String,
    pub(super) now: u64,
    repository: RepositoryId,
    events: Vec<Event>,
}

impl<'a> Context<'a> {
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

    pub(super) fn view(&self) -> View<'_> {
        View::new(self.forge, &self.actor, self.repository)
    }

    pub(super) fn repository_id(&self) -> RepositoryId {
        self.repository
    }

    /// Returns the repository of the request.
    pub(super) fn repo(&self) -> Result<&Repository, Refusal> {
        self.forge.repo_at(self.repository)
    }

    pub(super) fn repo_mut(&mut self) -> Result<&mut Repository, Refusal> {
        self.repo_at_mut(self.repository)
    }

    pub(super) fn repo_at_mut(&mut self, id: RepositoryId) -> Result<&mut Repository, Refusal> {
        self.forge.repositories.get_mut(&id).ok_or_else(Refusal::not_found)
    }

    /// Returns the key of an issue or pull in the repository of the request.
    pub(super) fn key(&self, number: u64) -> IssueKey {
        IssueKey { repository: self.repository, number }
    }

    pub(super) fn issue_at(&self, key: IssueKey) -> Result<&Issue, Refusal> {
        self.forge.issue_at(key)
    }

    pub(super) fn issue_at_mut(&mut self, key: IssueKey) -> Result<&mut Issue, Refusal> {
        let repository = self.repo_at_mut(key.repository)?;
        repository.issues.get_mut(&key.number).ok_or_else(Refusal::not_found)
    }

    /// Returns the pull part of an issue; 404 for an issue that is no pull.
    pub(super) fn pull_at(&self, key: IssueKey) -> Result<&Pull, Refusal> {
        self.forge.repo_at(key.repository)?.pull(key.number)
    }

    pub(super) fn pull_at_mut(&mut self, key: IssueKey) -> Result<&mut Pull, Refusal> {
        self.issue_at_mut(key)?.pull.as_deref_mut().ok_or_else(Refusal::not_found)
    }

    /// Refuses the request unless the actor has this permission.
    pub(super) fn need(&self, permission: Permission) -> Result<(), Refusal> {
        self.view().need(permission)
    }

    /// Marks an issue or pull as changed now, for `since` filters.
    pub(super) fn touch(&mut self, key: IssueKey) -> Result<&mut Issue, Refusal> {
        let now = self.now;
        let issue = self.issue_at_mut(key)?;
        issue.updated_at = now;
        Ok(issue)
    }

    /// Adds an entry to the timeline of an issue or pull.
    pub(super) fn record(&mut self, key: IssueKey, event: TimelineEvent) -> Result<(), Refusal> {
        let (id, actor, at) = (self.forge.next_id(), self.actor.clone(), self.now);
        self.issue_at_mut(key)?.timeline.push(TimelineEntry { id, actor, at, event });
        Ok(())
    }

    /// Announces an event in the repository of the request.
    pub(super) fn emit(&mut self, kind: EventKind) {
        self.emit_in(self.repository, kind);
    }

    pub(super) fn emit_in(&mut self, repository: RepositoryId, kind: EventKind) {
        let Ok(repo) = self.forge.repo_at(repository).map(Repository::full_name) else { return };
        self.events.push(Event { repo, actor: self.actor.clone(), at: self.now, kind });
    }

    /// Announces an event on an issue or pull of any repository.
    pub(super) fn emit_thread(&mut self, key: IssueKey, action: ThreadAction) {
        let number = key.number;
        let kind = if self.pull_at(key).is_ok() {
            EventKind::Pull { number, action }
        } else {
            EventKind::Issue { number, action }
        };
        self.emit_in(key.repository, kind);
    }
}
