//! Check suites: the runs of one commit taken together. They are not kept but follow from the runs.

use super::checks::{CheckRun, CheckState, Conclusion};
use super::context::Context;
use super::event::CheckAction;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
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
    /// Returns the time of its last change; unix seconds.
    fn changed_at(&self) -> u64 {
        self.completed_at.unwrap_or(self.started_at)
    }
}

operations! {
    GetCheckSuite { id: u64 }
    /// Returns the suite of a commit, if it has runs. A `reference` is a branch or a full sha.
    ListCheckSuites { reference: String, page: Page }
    /// Returns the runs of one suite, as `ListCheckRuns` does.
    ListSuiteRuns { id: u64, name: Option<String>, all: bool, page: Page }
    /// Asks for each latest run of a suite to run again.
    RerequestCheckSuite { id: u64 }
}

impl Repository {
    fn suite_head(&self, suite: u64) -> Result<Sha, Refusal> {
        let head = self.check_run(suite)?.head;
        let first = self.check_runs_of.get(&head).and_then(|runs| runs.first());
        if first == Some(&suite) { Ok(head) } else { Err(Refusal::not_found()) }
    }

    fn suite_on(&self, head: Sha) -> Result<CheckSuite, Refusal> {
        let first = self.check_runs_of.get(&head).and_then(|runs| runs.first()).copied();
        let id = first.ok_or_else(Refusal::not_found)?;
        let latest = self.check_runs_on(head, None, false);
        let created_at = self.check_runs.get(&id).map_or(0, |run| run.started_at);
        let changes = latest.iter().map(|run| run.changed_at());
        let branch = self.branches.iter().find(|(_name, tip)| **tip == head);
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
}

impl Operation for GetCheckSuite {
    type Reply = CheckSuite;

    fn run(self, context: &mut Context<'_>) -> Result<CheckSuite, Refusal> {
        let repo = context.repo()?;
        repo.suite_on(repo.suite_head(self.id)?)
    }
}

impl Operation for ListCheckSuites {
    type Reply = Listing<CheckSuite>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CheckSuite>, Refusal> {
        let repo = context.repo()?;
        let head = repo.resolve(&self.reference)?;
        let suites: Vec<CheckSuite> = repo.suite_on(head).into_iter().collect();
        Ok(Listing::of(&suites, self.page, Clone::clone))
    }
}

impl Operation for ListSuiteRuns {
    type Reply = Listing<CheckRun>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CheckRun>, Refusal> {
        let repo = context.repo()?;
        let runs = repo.check_runs_on(repo.suite_head(self.id)?, self.name.as_deref(), self.all);
        Ok(Listing::of(&runs, self.page, |run| (*run).clone()))
    }
}

impl Operation for RerequestCheckSuite {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Write)?;
        let repo = context.repo()?;
        let runs = repo.check_runs_on(repo.suite_head(self.id)?, None, false);
        let runs: Vec<CheckRun> = runs.into_iter().cloned().collect();
        for run in &runs {
            context.announce_check(run, CheckAction::Rerequested);
        }
        Ok(())
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
