//! Check suites: the runs of one commit taken together. They are not kept but follow from the runs.

use super::checks::{CheckRun, CheckState, Conclusion};
use super::event::CheckAction;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::sha::Sha;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSuite {
    /// The id of its first run.
    pub id: u64,
    pub head: Sha,
    /// A branch whose tip it is about.
    pub branch: Option<String>,
    /// Completed when every latest run is; then the worst conclusion.
    pub state: CheckState,
    /// Of each name the latest.
    pub runs: usize,
    /// Unix seconds.
    pub created_at: u64,
    pub updated_at: u64,
}

/// From harmless to worst: the conclusion of a suite is the worst of its runs.
const BY_WEIGHT: [Conclusion; 9] = [
    Conclusion::Skipped,
    Conclusion::Neutral,
    Conclusion::Success,
    Conclusion::Stale,
    Conclusion::ActionRequired,
    Conclusion::Cancelled,
    Conclusion::TimedOut,
    Conclusion::StartupFailure,
    Conclusion::Failure,
];

impl CheckRun {
    /// When it last changed; unix seconds.
    fn changed_at(&self) -> u64 {
        self.completed_at.unwrap_or(self.started_at)
    }
}

impl Turn<'_> {
    pub(super) fn suite_head(&self, suite: u64) -> Result<Sha, Refusal> {
        let repo = self.repo()?;
        let run = repo.check_runs.get(&suite).ok_or_else(Refusal::not_found)?;
        let first = repo.check_runs_of.get(&run.head).and_then(|runs| runs.first());
        if first == Some(&suite) { Ok(run.head) } else { Err(Refusal::not_found()) }
    }

    pub(super) fn suite_on(&self, head: Sha) -> Result<CheckSuite, Refusal> {
        let repo = self.repo()?;
        let first = repo.check_runs_of.get(&head).and_then(|runs| runs.first()).copied();
        let id = first.ok_or_else(Refusal::not_found)?;
        let latest = self.check_runs_on(head, None, false)?;
        let created_at = repo.check_runs.get(&id).map_or(0, |run| run.started_at);
        let changes = latest.iter().map(|run| run.changed_at());
        let branch = repo.branches.iter().find(|(_name, tip)| **tip == head);
        Ok(CheckSuite {
            id,
            head,
            branch: branch.map(|(name, _tip)| name.clone()),
            state: state_of(&latest),
            runs: latest.len(),
            created_at,
            updated_at: changes.max().unwrap_or(created_at),
        })
    }

    pub(super) fn list_suites(&self, reference: &str, page: Page) -> Response {
        let head = self.resolve(reference)?;
        let suites: Vec<CheckSuite> = self.suite_on(head).into_iter().collect();
        Ok(Reply::CheckSuites(Listing::of(&suites, page, Clone::clone)))
    }

    pub(super) fn rerequest_suite(&mut self, id: u64) -> Response {
        self.need(Permission::Write)?;
        let runs = self.check_runs_on(self.suite_head(id)?, None, false)?;
        let runs: Vec<CheckRun> = runs.into_iter().cloned().collect();
        for run in &runs {
            self.announce_check(run, CheckAction::Rerequested);
        }
        Ok(Reply::Done)
    }
}

fn state_of(runs: &[&CheckRun]) -> CheckState {
    let mut worst = 0;
    for run in runs {
        match run.state {
            CheckState::Queued | CheckState::InProgress => return run.state,
            CheckState::Completed(conclusion) => {
                let weight = BY_WEIGHT.iter().position(|known| *known == conclusion);
                worst = worst.max(weight.unwrap_or(0));
            }
        }
    }
    CheckState::Completed(BY_WEIGHT.get(worst).copied().unwrap_or(Conclusion::Neutral))
}
