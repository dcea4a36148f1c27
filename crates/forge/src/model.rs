//! The whole state of the forge, and `handle`, through which every request passes.

pub(crate) mod accounts;
pub(crate) mod adoption;
pub(crate) mod branches;
pub(crate) mod check_subjects;
pub(crate) mod check_suites;
pub(crate) mod checks;
pub(crate) mod comments;
pub(crate) mod compare;
pub(crate) mod context;
pub(crate) mod creation;
pub(crate) mod dependencies;
pub(crate) mod event;
mod gates;
pub(crate) mod history;
pub(crate) mod issue_labels;
pub(crate) mod issue_list;
mod issue_state;
pub(crate) mod issue_view;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod lookup;
mod mentions;
pub(crate) mod mergeability;
pub(crate) mod merging;
pub(crate) mod other_refs;
pub(crate) mod paging;
pub(crate) mod permission;
pub(crate) mod protection;
pub(crate) mod pull_list;
pub(crate) mod pull_view;
pub(crate) mod pulls;
mod push;
pub(crate) mod reach;
pub(crate) mod receive;
mod references;
pub(crate) mod refs;
pub(crate) mod refusal;
pub(crate) mod repository;
pub(crate) mod repository_calls;
pub(crate) mod request;
pub(crate) mod reviews;
pub(crate) mod search;
mod set_aside;
pub(crate) mod setup;
mod sha_text;
pub(crate) mod statuses;
pub(crate) mod sub_issues;
pub(crate) mod timeline;
pub(crate) mod update_branch;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::git::store::GitStore;
use accounts::Account;
use context::Context;
use event::Event;
use issues::IssueKey;
use refusal::Refusal;
use repository::{Repository, RepositoryId};
use request::Request;
use update_branch::BranchUpdate;

/// A GitHub with its users and repositories.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Forge {
    /// By login in lower case.
    accounts: BTreeMap<String, Account>,
    repositories: BTreeMap<RepositoryId, Repository>,
    /// By `owner/name` in lower case.
    repository_names: BTreeMap<String, RepositoryId>,
    /// Database ids of issues, which relations are made with.
    issue_ids: BTreeMap<u64, IssueKey>,
    last_id: u64,
    /// Accepted, to be pushed by `run_background`.
    branch_updates: VecDeque<BranchUpdate>,
    /// The repositories that the request being handled may reach; all of them when it is none.
    #[serde(skip)]
    reach: Option<reach::Reach>,
    #[serde(skip)]
    git_store: GitStore,
}

impl Forge {
    /// A forge without users and repositories.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A forge without users and repositories that keeps git as bare repositories in this folder.
    #[must_use]
    pub fn on_disk(root: &Path) -> Self {
        Self { git_store: GitStore::on_disk(root), ..Self::default() }
    }

    /// Carries out one request by one user at one moment (unix seconds). The same state and
    /// arguments give the same answer. A refused request changes nothing and causes no events.
    #[must_use = "a refused request changed nothing"]
    pub fn handle<R: Request>(
        &mut self,
        who: &str,
        now: u64,
        request: R,
    ) -> (Result<R::Reply, Refusal>, Vec<Event>) {
        let actor = self.account(who).cloned().ok_or_else(Refusal::bad_credentials);
        match actor.and_then(|actor| request.answer(self, &actor, now)) {
            Ok((reply, events)) => (Ok(reply), events),
            Err(refusal) => (Err(refusal), Vec::new()),
        }
    }

    /// Does the work that GitHub does in the background: pushes accepted branch updates, then
    /// computes the mergeability of every open pull.
    pub fn run_background(&mut self, now: u64) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(update) = self.branch_updates.pop_front() {
            let mut context = Context::new(self, update.actor.clone(), now, update.repository);
            // An update that became impossible since it was accepted is dropped, as on GitHub.
            if context.push_branch_update(&update).is_ok() {
                events.append(&mut context.into_events());
            }
        }
        let healthy = self.repositories.iter().filter(|(_id, one)| one.set_aside.is_none());
        let ids: Vec<RepositoryId> = healthy.map(|(id, _repository)| *id).collect();
        for id in ids {
            Context::new(self, String::new(), now, id).judge_open_pulls();
        }
        events
    }

    /// Returns whether `run_background` has something to do.
    #[must_use]
    pub fn has_background_work(&self) -> bool {
        let mut repositories = self.repositories.values();
        !self.branch_updates.is_empty() || repositories.any(Repository::has_unjudged_pulls)
    }

    fn repository_id(&self, full_name: &str) -> Option<RepositoryId> {
        // Most requests spell the name as it is stored.
        let names = &self.repository_names;
        names.get(full_name).or_else(|| names.get(&full_name.to_lowercase())).copied()
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}
