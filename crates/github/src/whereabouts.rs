//! The place of a repository in which something is not found: still here, renamed, or out of sight.

use crate::client::Client;
use crate::complaint::Complaint;
use crate::reading::Miss;
use crate::route;
use crate::transport::Transport;
use crate::wire::repository::Repository;
use ralph_core::ids::RepoName;
use ralph_core::words;
use ralph_engine::ports::{Read, Unread};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    Here,
    /// The new name, where the forge tells it.
    Renamed(Option<String>),
    /// Deleted, or not to be seen with these credentials: the forge says the same of both.
    OutOfSight,
}

impl<T: Transport> Client<T> {
    /// A refusal because the repository was renamed says the new name and what helps.
    pub(crate) fn with_new_name(&mut self, miss: Miss, about: Option<&RepoName>) -> Miss {
        let Some(repo) = about.filter(|_| miss.is_moved()) else { return miss };
        let found = self.whereabouts(repo);
        match (miss, found) {
            (Miss::Refused { complaint, .. }, Ok(Whereabouts::Renamed(name))) => {
                Miss::Refused { complaint, why: words::renamed(repo, name.as_deref()) }
            }
            (miss, _) => miss,
        }
    }

    /// Something in a repository is not found: asks whether it alone is missing, and refuses if its repository is.
    pub(crate) fn confirm_repository(&mut self, repo: &RepoName) -> Read<()> {
        match self.whereabouts(repo)? {
            Whereabouts::Here => Ok(()),
            Whereabouts::Renamed(name) => {
                Err(Unread::refused(words::renamed(repo, name.as_deref())))
            }
            Whereabouts::OutOfSight => Err(Unread::refused(words::out_of_sight(repo))),
        }
    }

    /// Only a bad answer is kept. That the repository is here says nothing about a miss that came later, and it is asked
    /// for conditionally, at no cost.
    fn whereabouts(&mut self, repo: &RepoName) -> Read<Whereabouts> {
        let account = Arc::clone(&self.account);
        if let Some(known) = account.known().whereabouts(repo, account.now()) {
            return Ok(known);
        }
        let url = account.address.of(&route::repository(repo));
        let found = match self.fetch::<Repository>((&url, Some(repo)), None) {
            Ok(_) => Whereabouts::Here,
            Err(Miss::Refused { complaint, .. }) if complaint.status.is_redirection() => {
                let found = self.moved_repository(repo, &complaint);
                Whereabouts::Renamed(found.map(|found| found.full_name.clone()))
            }
            Err(miss) if miss.is_missing() => Whereabouts::OutOfSight,
            Err(miss) => return Err(miss.into()),
        };
        if found != Whereabouts::Here {
            account.known().learn_whereabouts(repo, &found, account.now());
        }
        Ok(found)
    }

    /// Reads a repository, under its new name if it has one.
    pub(crate) fn read_repository(&mut self, repo: &RepoName) -> Result<Arc<Repository>, Miss> {
        let url = self.account.address.of(&route::repository(repo));
        let miss = match self.fetch::<Repository>((&url, Some(repo)), None) {
            Ok(found) => return Ok(found.value),
            Err(miss) => miss,
        };
        let moved = match &miss {
            Miss::Refused { complaint, .. } if complaint.status.is_redirection() => {
                self.moved_repository(repo, complaint)
            }
            Miss::Refused { .. } | Miss::Unread(_) => None,
        };
        moved.ok_or(miss)
    }

    fn moved_repository(
        &mut self,
        repo: &RepoName,
        complaint: &Complaint,
    ) -> Option<Arc<Repository>> {
        let url = self.account.address.follow(complaint.moved_to.as_deref()?)?;
        self.fetch::<Repository>((&url, Some(repo)), None).ok().map(|found| found.value)
    }
}
