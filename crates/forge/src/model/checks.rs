//! Check runs: what a check says about a commit, and the wish to run it again.

use serde::{Deserialize, Serialize};

use super::event::{CheckAction, EventKind};
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::{DetailCode, Refusal};
use super::reply::{Reply, Response};
use super::statuses::NewStatus;
use super::turn::Turn;
use crate::git::sha::Sha;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRun {
    pub id: u64,
    pub name: String,
    pub head: Sha,
    pub state: CheckState,
    pub details_url: Option<String>,
    pub output: CheckOutput,
    /// Unix seconds.
    pub started_at: u64,
    pub completed_at: Option<u64>,
    /// Whatever the reporter calls it.
    pub external_id: Option<String>,
    /// The branch whose definition of the check ran, and for whose rules alone it counts; none when
    /// someone reported it.
    #[serde(default)]
    pub base: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CheckState {
    Queued,
    InProgress,
    Completed(Conclusion),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Conclusion {
    Success,
    Neutral,
    Skipped,
    Failure,
    TimedOut,
    Cancelled,
    ActionRequired,
    Stale,
    StartupFailure,
}

impl Conclusion {
    pub(crate) fn passes(self) -> bool {
        match self {
            Self::Success | Self::Neutral | Self::Skipped => true,
            Self::Failure
            | Self::TimedOut
            | Self::Cancelled
            | Self::ActionRequired
            | Self::Stale
            | Self::StartupFailure => false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOutput {
    pub title: Option<String>,
    pub summary: Option<String>,
    pub text: Option<String>,
    pub annotations: Vec<Annotation>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    pub path: String,
    pub start_line: u64,
    pub end_line: u64,
    pub level: AnnotationLevel,
    pub message: String,
    pub title: Option<String>,
    pub raw_details: Option<String>,
}

impl Annotation {
    /// A failure on one line.
    #[must_use]
    pub fn failure(path: &str, line: u64, message: &str) -> Self {
        Self {
            path: path.to_owned(),
            start_line: line,
            end_line: line,
            level: AnnotationLevel::Failure,
            message: message.to_owned(),
            title: None,
            raw_details: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnnotationLevel {
    Notice,
    Warning,
    Failure,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCheckRun {
    pub name: String,
    pub head: Sha,
    pub state: CheckState,
    pub details_url: Option<String>,
    pub output: CheckOutput,
}

/// Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckRunUpdate {
    pub state: Option<CheckState>,
    pub details_url: Option<String>,
    pub output: Option<CheckOutput>,
    pub external_id: Option<String>,
    /// Unix seconds.
    pub started_at: Option<u64>,
    /// Unix seconds; for a run that is completed.
    pub completed_at: Option<u64>,
    pub name: Option<String>,
}

/// A `reference` is a branch or a full sha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckCall {
    /// → `CheckRun`
    CreateRun(NewCheckRun),
    /// → `CheckRun`
    UpdateRun { id: u64, update: CheckRunUpdate },
    /// → `CheckRun`
    GetRun { id: u64 },
    /// → `CheckRuns`, newest first; of each name the latest only, unless `all`
    ListRuns { reference: String, name: Option<String>, all: bool, page: Page },
    /// → `Done`; the run itself stays as it is until the check reacts to the event
    Rerequest { id: u64 },
    /// → `CheckSuite`
    GetSuite { id: u64 },
    /// → `CheckSuites`: one for each commit with runs
    ListSuites { reference: String, page: Page },
    /// → `CheckRuns` of one suite, as `ListRuns`
    RunsOfSuite { id: u64, name: Option<String>, all: bool, page: Page },
    /// → `Done`; as a rerequest of each latest run
    RerequestSuite { id: u64 },
    /// → `Status`
    CreateStatus { sha: Sha, status: NewStatus },
    /// → `Statuses`, newest first, superseded ones too
    ListStatuses { reference: String, page: Page },
    /// → `CombinedStatus`
    CombinedStatus { reference: String },
}

impl Turn<'_> {
    pub(super) fn check_call(&mut self, call: CheckCall) -> Response {
        match call {
            CheckCall::CreateRun(new) => self.create_check_run(new),
            CheckCall::UpdateRun { id, update } => self.update_check_run(id, update),
            CheckCall::GetRun { id } => Ok(Reply::CheckRun(Box::new(self.check_run(id)?.clone()))),
            CheckCall::ListRuns { reference, name, all, page } => {
                let head = self.resolve(&reference)?;
                let runs = self.check_runs_on(head, name.as_deref(), all)?;
                Ok(Reply::CheckRuns(Listing::of(&runs, page, |run| (*run).clone())))
            }
            CheckCall::Rerequest { id } => {
                self.need(Permission::Write)?;
                let run = self.check_run(id)?.clone();
                self.announce_check(&run, CheckAction::Rerequested);
                Ok(Reply::Done)
            }
            CheckCall::GetSuite { id } => {
                Ok(Reply::CheckSuite(Box::new(self.suite_on(self.suite_head(id)?)?)))
            }
            CheckCall::ListSuites { reference, page } => self.list_suites(&reference, page),
            CheckCall::RunsOfSuite { id, name, all, page } => {
                let runs = self.check_runs_on(self.suite_head(id)?, name.as_deref(), all)?;
                Ok(Reply::CheckRuns(Listing::of(&runs, page, |run| (*run).clone())))
            }
            CheckCall::RerequestSuite { id } => self.rerequest_suite(id),
            CheckCall::CreateStatus { sha, status } => self.create_status(sha, status),
            CheckCall::ListStatuses { reference, page } => self.list_statuses(&reference, page),
            CheckCall::CombinedStatus { reference } => self.combined_status(&reference),
        }
    }

    fn check_run(&self, id: u64) -> Result<&CheckRun, Refusal> {
        self.repo()?.check_runs.get(&id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn check_runs_on(
        &self,
        head: Sha,
        name: Option<&str>,
        all: bool,
    ) -> Result<Vec<&CheckRun>, Refusal> {
        let repo = self.repo()?;
        let ids = repo.check_runs_of.get(&head).into_iter().flatten().rev();
        let mut found: Vec<&CheckRun> = Vec::new();
        for run in ids.filter_map(|id| repo.check_runs.get(id)) {
            let wanted = name.is_none_or(|name| run.name == name);
            if wanted && (all || !found.iter().any(|later| later.name == run.name)) {
                found.push(run);
            }
        }
        Ok(found)
    }

    fn create_check_run(&mut self, new: NewCheckRun) -> Response {
        self.need(Permission::Write)?;
        self.repo()?.git.commit(new.head)?;
        if new.name.is_empty() {
            return Err(Refusal::invalid("CheckRun", "name", DetailCode::MissingField));
        }
        let (id, now) = (self.forge.next_id(), self.now);
        let NewCheckRun { name, head, state, details_url, output } = new;
        let (started_at, completed_at) = (now, completed_at(state, now));
        let run = CheckRun {
            id,
            name,
            head,
            state,
            details_url,
            output,
            started_at,
            completed_at,
            external_id: None,
            base: None,
        };
        let repo = self.repo_mut()?;
        repo.check_runs_of.entry(head).or_default().push(id);
        repo.check_runs.insert(id, run.clone());
        self.announce_check(&run, CheckAction::Created);
        if run.completed_at.is_some() {
            self.announce_check(&run, CheckAction::Completed);
        }
        Ok(Reply::CheckRun(Box::new(run)))
    }

    fn update_check_run(&mut self, id: u64, update: CheckRunUpdate) -> Response {
        self.need(Permission::Write)?;
        let now = self.now;
        let runs = &mut self.repo_mut()?.check_runs;
        let run = runs.get_mut(&id).ok_or_else(Refusal::not_found)?;
        run.details_url = update.details_url.or_else(|| run.details_url.take());
        run.external_id = update.external_id.or_else(|| run.external_id.take());
        run.started_at = update.started_at.unwrap_or(run.started_at);
        run.output = update.output.unwrap_or_else(|| run.output.clone());
        run.name = update.name.filter(|name| !name.is_empty()).unwrap_or_else(|| run.name.clone());
        if let Some(state) = update.state {
            run.state = state;
            run.completed_at = completed_at(state, now);
        }
        if run.completed_at.is_some() {
            run.completed_at = update.completed_at.or(run.completed_at);
        }
        let run = run.clone();
        if update.state.is_some() && run.completed_at.is_some() {
            self.announce_check(&run, CheckAction::Completed);
        }
        Ok(Reply::CheckRun(Box::new(run)))
    }

    pub(super) fn announce_check(&mut self, run: &CheckRun, action: CheckAction) {
        let (id, name, head) = (run.id, run.name.clone(), run.head);
        self.emit(EventKind::CheckRun { id, name, head, action });
    }
}

fn completed_at(state: CheckState, now: u64) -> Option<u64> {
    match state {
        CheckState::Queued | CheckState::InProgress => None,
        CheckState::Completed(_conclusion) => Some(now),
    }
}
