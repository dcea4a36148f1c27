//! The whole state of the forge and the one door to it.

pub(crate) mod accounts;
pub(crate) mod adoption;
pub(crate) mod behaviour;
pub(crate) mod branches;
pub(crate) mod check_subjects;
pub(crate) mod check_suites;
pub(crate) mod checks;
pub(crate) mod comments;
pub(crate) mod compare;
pub(crate) mod creation;
mod dependencies;
pub(crate) mod event;
mod gates;
pub(crate) mod history;
mod issue_labels;
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
pub(crate) mod relations;
pub(crate) mod reply;
pub(crate) mod repository;
pub(crate) mod repository_calls;
pub(crate) mod request;
pub(crate) mod reviews;
pub(crate) mod search;
mod set_aside;
pub(crate) mod setup;
mod sha_text;
pub(crate) mod statuses;
mod sub_issues;
pub(crate) mod timeline;
mod turn;
mod update_branch;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::git::store::GitStore;
use accounts::Account;
use behaviour::Switches;
use event::Event;
use refusal::Refusal;
use reply::{Reply, Response};
use repository::{Repository, RepositoryId};
use request::{Call, Request};
use turn::{IssueKey, Turn};
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
    #[serde(skip)]
    switches: Switches,
    /// What the request that is being handled may reach; everything when there is none.
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

    /// One request by one user at one moment (unix seconds). The same state and arguments give the
    /// same answer. A refused request changes nothing and causes no events.
    #[must_use = "a refused request changed nothing"]
    pub fn handle(&mut self, who: &str, now: u64, request: Request) -> (Response, Vec<Event>) {
        let Some(account) = self.accounts.get(&who.to_lowercase()) else {
            return (Err(Refusal::bad_credentials()), Vec::new());
        };
        let actor = account.login.clone();
        let (repo, call) = match request {
            Request::GetUser => return (Ok(Reply::Account(account.clone())), Vec::new()),
            Request::ListRepositories { owner, page } => {
                return (self.list_repositories(&actor, owner.as_deref(), page), Vec::new());
            }
            Request::CreateRepository(order) => {
                return (self.order_repository(&actor, now, order), Vec::new());
            }
            Request::SearchIssues { query, page } => {
                return (self.search_issues(&actor, &query, page), Vec::new());
            }
            Request::On { repo, call } => (repo, call),
        };
        let Some(id) = self.repository_id(&repo) else {
            return (Err(Refusal::not_found()), Vec::new());
        };
        let mut turn = Turn::new(self, actor, now, id);
        let response = turn.answer(call);
        let events = if response.is_ok() { turn.into_events() } else { Vec::new() };
        (response, events)
    }

    /// Does what GitHub does behind its answers: pushes accepted branch updates, then computes the
    /// mergeability of every open pull.
    pub fn run_background(&mut self, now: u64) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(update) = self.branch_updates.pop_front() {
            let mut turn = Turn::new(self, update.actor.clone(), now, update.repository);
            // An update that became impossible since it was accepted is dropped, as on GitHub.
            if turn.push_branch_update(&update).is_ok() {
                events.append(&mut turn.into_events());
            }
        }
        let healthy = self.repositories.iter().filter(|(_id, one)| one.set_aside.is_none());
        let ids: Vec<RepositoryId> = healthy.map(|(id, _repository)| *id).collect();
        for id in ids {
            Turn::new(self, String::new(), now, id).judge_open_pulls();
        }
        events
    }

    /// Whether `run_background` has something to do.
    #[must_use]
    pub fn has_background_work(&self) -> bool {
        let mut repositories = self.repositories.values();
        !self.branch_updates.is_empty() || repositories.any(Repository::has_unjudged_pulls)
    }

    fn repository_id(&self, full_name: &str) -> Option<RepositoryId> {
        // Nearly everybody asks for it as it is kept.
        let names = &self.repository_names;
        names.get(full_name).or_else(|| names.get(&full_name.to_lowercase())).copied()
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}

impl Turn<'_> {
    fn answer(&mut self, call: Call) -> Response {
        self.need_read()?;
        self.need_health()?;
        match call {
            Call::Repository(call) => self.repository_call(call),
            Call::Label(call) => self.label_call(call),
            Call::Issue(call) => self.issue_call(call),
            Call::Comment(call) => self.comment_call(call),
            Call::Relation(call) => self.relation_call(call),
            Call::Pull(call) => self.pull_call(call),
            Call::Review(call) => self.review_call(call),
            Call::Check(call) => self.check_call(call),
            Call::Branch(call) => self.branch_call(call),
            Call::Git(call) => self.git_call(call),
            Call::Ref(call) => self.ref_call(call),
        }
    }
}
