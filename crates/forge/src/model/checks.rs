//! Check runs: the report of a check about a commit, and requests to run it again.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::event::{CheckAction, EventKind};
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::{DetailCode, Refusal};
use super::repository::Repository;
use super::request::{Operation, operations};
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
    /// The reporter's name for it.
    pub external_id: Option<String>,
    /// The branch whose definition of the check ran; the run counts for the rules of this branch
    /// only. `None` for a run that was reported over the API.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateCheckRun(pub NewCheckRun);

operations! {
    UpdateCheckRun { id: u64, update: CheckRunUpdate }
    GetCheckRun { id: u64 }
    /// Returns the runs of a commit, newest first; of each name the latest only, unless `all`. A
    /// `reference` is a branch or a full sha.
    ListCheckRuns { reference: String, name: Option<String>, all: bool, page: Page }
    /// Asks for a check to run again. The run stays as it is until the check reacts to the event.
    RerequestCheckRun { id: u64 }
}

impl Repository {
    pub(super) fn check_run(&self, id: u64) -> Result<&CheckRun, Refusal> {
        self.check_runs.get(&id).ok_or_else(Refusal::not_found)
    }

    pub(super) fn check_runs_on(&self, head: Sha, name: Option<&str>, all: bool) -> Vec<&CheckRun> {
        let ids = self.check_runs_of.get(&head).into_iter().flatten().rev();
        let mut found: Vec<&CheckRun> = Vec::new();
        for run in ids.filter_map(|id| self.check_runs.get(id)) {
            let wanted = name.is_none_or(|name| run.name == name);
            if wanted && (all || !found.iter().any(|later| later.name == run.name)) {
                found.push(run);
            }
        }
        found
    }
}

impl Operation for CreateCheckRun {
    type Reply = CheckRun;

    fn run(self, context: &mut Context<'_>) -> Result<CheckRun, Refusal> {
        let NewCheckRun { name, head, state, details_url, output } = self.0;
        context.need(Permission::Write)?;
        context.repo()?.git.commit(head)?;
        if name.is_empty() {
            return Err(Refusal::invalid("CheckRun", "name", DetailCode::MissingField));
        }
        let (id, now) = (context.forge.next_id(), context.now);
        let run = CheckRun {
            id,
            name,
            head,
            state,
            details_url,
            output,
            started_at: now,
            completed_at: completed_at(state, now),
            external_id: None,
            base: None,
        };
        let repo = context.repo_mut()?;
        repo.check_runs_of.entry(head).or_default().push(id);
        repo.check_runs.insert(id, run.clone());
        context.announce_check(&run, CheckAction::Created);
        if run.completed_at.is_some() {
            context.announce_check(&run, CheckAction::Completed);
        }
        Ok(run)
    }
}

impl Operation for UpdateCheckRun {
    type Reply = CheckRun;

    fn run(self, context: &mut Context<'_>) -> Result<CheckRun, Refusal> {
        let Self { id, update } = self;
        context.need(Permission::Write)?;
        let now = context.now;
        let runs = &mut context.repo_mut()?.check_runs;
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
            context.announce_check(&run, CheckAction::Completed);
        }
        Ok(run)
    }
}

impl Operation for GetCheckRun {
    type Reply = CheckRun;

    fn run(self, context: &mut Context<'_>) -> Result<CheckRun, Refusal> {
        context.repo()?.check_run(self.id).cloned()
    }
}

impl Operation for ListCheckRuns {
    type Reply = Listing<CheckRun>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CheckRun>, Refusal> {
        let repo = context.repo()?;
        let head = repo.resolve(&self.reference)?;
        let runs = repo.check_runs_on(head, self.name.as_deref(), self.all);
        Ok(Listing::of(&runs, self.page, |run| (*run).clone()))
    }
}

impl Operation for RerequestCheckRun {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Write)?;
        let run = context.repo()?.check_run(self.id)?.clone();
        context.announce_check(&run, CheckAction::Rerequested);
        Ok(())
    }
}

impl Context<'_> {
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
