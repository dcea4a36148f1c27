//! Commit statuses: the older way to report a check; of each context the latest counts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
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

impl Turn<'_> {
    pub(super) fn create_status(&mut self, sha: Sha, new: NewStatus) -> Response {
        self.need(Permission::Write)?;
        self.repo()?.git.commit(sha)?;
        let (id, creator, created_at) = (self.forge.next_id(), self.actor.clone(), self.now);
        let state = new.state;
        let status = CommitStatus {
            id,
            sha,
            context: new.context,
            state,
            description: new.description,
            target_url: new.target_url,
            creator,
            created_at,
        };
        let statuses = self.repo_mut()?.statuses.entry(sha).or_default();
        let same = statuses.iter().filter(|other| other.context == status.context).count();
        if same >= STATUSES_MAX {
            let words = "This SHA and context has reached the maximum number of statuses.";
            return Err(Refusal::custom("Status", words));
        }
        statuses.push(status.clone());
        self.emit(EventKind::Status { sha, context: status.context.clone(), state });
        Ok(Reply::Status(Box::new(status)))
    }

    fn statuses_on(&self, sha: Sha) -> Result<Vec<&CommitStatus>, Refusal> {
        Ok(self.repo()?.statuses.get(&sha).into_iter().flatten().rev().collect())
    }

    pub(super) fn list_statuses(&self, reference: &str, page: Page) -> Response {
        let statuses = self.statuses_on(self.resolve(reference)?)?;
        Ok(Reply::Statuses(Listing::of(&statuses, page, |status| (*status).clone())))
    }

    pub(super) fn combined_status(&self, reference: &str) -> Response {
        let sha = self.resolve(reference)?;
        let mut seen = BTreeSet::new();
        let mut statuses = Vec::new();
        for status in self.statuses_on(sha)? {
            if seen.insert(&status.context) {
                statuses.push(status.clone());
            }
        }
        let any = |state: StatusState| statuses.iter().any(|status| status.state == state);
        let state = if any(StatusState::Failure) || any(StatusState::Error) {
            StatusState::Failure
        } else if any(StatusState::Pending) || statuses.is_empty() {
            StatusState::Pending
        } else {
            StatusState::Success
        };
        Ok(Reply::CombinedStatus(CombinedStatus { sha, state, statuses }))
    }
}
