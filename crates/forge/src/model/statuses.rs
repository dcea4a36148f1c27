//! Commit statuses: the older way to report a check; of each context the latest counts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::EventKind;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use crate::git::sha::Sha;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatusState {
    Pending,
    Success,
    Failure,
    Error,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStatus {
    pub context: String,
    pub state: StatusState,
    pub description: Option<String>,
    pub target_url: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitStatus {
    pub id: u64,
    pub sha: Sha,
    pub context: String,
    pub state: StatusState,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub creator: String,
    pub created_at: u64,
}

/// All contexts of a commit at once; check runs are not among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CombinedStatus {
    pub sha: Sha,
    /// Pending when nothing was reported; errors count as failure.
    pub state: StatusState,
    /// The latest of each context.
    pub statuses: Vec<CommitStatus>,
}

/// GitHub's limit on statuses of one commit and context.
const STATUSES_MAX: usize = 1000;

operations! {
    CreateStatus { sha: Sha, status: NewStatus }
    /// Returns the statuses of a commit, newest first, superseded ones too. A `reference` is a
    /// branch or a full sha.
    ListStatuses { reference: String, page: Page }
    GetCombinedStatus { reference: String }
}

impl Operation for CreateStatus {
    type Reply = CommitStatus;

    fn run(self, context: &mut Context<'_>) -> Result<CommitStatus, Refusal> {
        let Self { sha, status: new } = self;
        context.need(Permission::Write)?;
        context.repo()?.git.commit(sha)?;
        let status = CommitStatus {
            id: context.forge.next_id(),
            sha,
            context: new.context,
            state: new.state,
            description: new.description,
            target_url: new.target_url,
            creator: context.actor.clone(),
            created_at: context.now,
        };
        let statuses = context.repo_mut()?.statuses.entry(sha).or_default();
        let same = statuses.iter().filter(|other| other.context == status.context).count();
        if same >= STATUSES_MAX {
            let words = "This SHA and context has reached the maximum number of statuses.";
            return Err(Refusal::custom("Status", words));
        }
        statuses.push(status.clone());
        let name = status.context.clone();
        context.emit(EventKind::Status { sha, context: name, state: status.state });
        Ok(status)
    }
}

impl Repository {
    /// Returns the statuses of a commit, newest first.
    fn statuses_on(&self, sha: Sha) -> Vec<&CommitStatus> {
        self.statuses.get(&sha).into_iter().flatten().rev().collect()
    }
}

impl Operation for ListStatuses {
    type Reply = Listing<CommitStatus>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CommitStatus>, Refusal> {
        let repo = context.repo()?;
        let statuses = repo.statuses_on(repo.resolve(&self.reference)?);
        Ok(Listing::of(&statuses, self.page, |status| (*status).clone()))
    }
}

impl Operation for GetCombinedStatus {
    type Reply = CombinedStatus;

    fn run(self, context: &mut Context<'_>) -> Result<CombinedStatus, Refusal> {
        let repo = context.repo()?;
        let sha = repo.resolve(&self.reference)?;
        let mut seen = BTreeSet::new();
        let mut statuses = repo.statuses_on(sha);
        statuses.retain(|status| seen.insert(&status.context));
        let any = |state: StatusState| statuses.iter().any(|status| status.state == state);
        let state = if any(StatusState::Failure) || any(StatusState::Error) {
            StatusState::Failure
        } else if any(StatusState::Pending) || statuses.is_empty() {
            StatusState::Pending
        } else {
            StatusState::Success
        };
        let statuses = statuses.into_iter().cloned().collect();
        Ok(CombinedStatus { sha, state, statuses })
    }
}
