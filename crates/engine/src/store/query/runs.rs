//! Runs: each claim of an issue with its steps, their cost and their results. The latest run of an issue is in its row;
//! earlier ones come from the journal, as far back as it goes.

use super::gates::{GateView, views};
use super::{IssueReport, Reader};
use crate::store::{StoreError, journal};
use ralph_core::bound::SpentByName;
use ralph_core::fold::fold;
use ralph_core::ids::{IssueKey, RepoName, RunId};
use ralph_core::issue::{Issue, Managed};
use ralph_core::repo::Repo;
use ralph_core::run::{Run, Work, WorkState};
use ralph_core::time::Time;
use ralph_core::turn_end::Usage;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunReport {
    pub repo: RepoName,
    pub issue: u64,
    pub run: String,
    pub title: String,
    pub started: Time,
    /// The time at which its last step ended; `None` if none has.
    pub last_step: Option<Time>,
    pub steps: usize,
    pub tokens: Option<u64>,
    pub branch: String,
    pub pull: Option<u64>,
    /// A later run has replaced it.
    pub is_superseded: bool,
    /// The status of the issue, or the end of a run that is superseded.
    pub says: String,
}

/// Everything the store has of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunRecord {
    #[serde(flatten)]
    pub report: RunReport,
    pub slot: u32,
    pub worktree: Option<String>,
    pub base: Option<String>,
    pub head: Option<String>,
    pub pushed: Option<String>,
    /// The agent's session that the next turn would resume.
    pub session: Option<String>,
    pub spent: SpentByName,
    /// The process under way.
    pub work: Option<WorkReport>,
    pub step_records: Vec<StepReport>,
    pub gates: BTreeMap<&'static str, GateView>,
    pub ready_for_pr: bool,
    pub plan: Option<String>,
    pub last_failure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepReport {
    pub step: &'static str,
    pub attempt: u32,
    pub started: Time,
    pub ended: Time,
    /// The result of the step.
    pub how: String,
    pub session: Option<String>,
    pub tokens: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkReport {
    pub step: &'static str,
    pub attempt: u32,
    pub started: Time,
    pub deadline: Time,
    pub state: &'static str,
}

impl Reader {
    /// Every run that the store knows, latest start first.
    pub fn runs(&self) -> Result<Vec<RunReport>, StoreError> {
        let mut reports = Vec::new();
        for (key, issue) in self.managed_issues()? {
            let about = self.report(&key, &issue)?;
            let runs = self.runs_of(&key, &issue)?;
            let latest = runs.len().saturating_sub(1);
            let report = |(place, run): (usize, &Run)| report(&about, run, place == latest);
            reports.extend(runs.iter().enumerate().map(report));
        }
        reports.sort_by(|a, b| {
            let newest_first = b.started.cmp(&a.started);
            newest_first.then_with(|| (&a.repo, a.issue).cmp(&(&b.repo, b.issue)))
        });
        Ok(reports)
    }

    /// The runs with this id: one for each repository that has an issue with that number. Empty if there is no such
    /// run, or if the journal no longer has it.
    pub fn runs_named(
        &self,
        id: RunId,
        repo: Option<&RepoName>,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let mut records = Vec::new();
        for (key, issue) in self.managed_issues()? {
            if key.number != id.issue || repo.is_some_and(|repo| *repo != key.repo) {
                continue;
            }
            let about = self.report(&key, &issue)?;
            let runs = self.runs_of(&key, &issue)?;
            let latest = runs.len().saturating_sub(1);
            for (place, run) in runs.iter().enumerate().filter(|(_, run)| run.id == id) {
                let managed = issue.managed.as_deref().filter(|_| place == latest);
                records.push(self.record(&about, run, managed)?);
            }
        }
        Ok(records)
    }

    /// An issue's runs, the latest last.
    fn runs_of(&self, key: &IssueKey, issue: &Issue) -> Result<Vec<Run>, StoreError> {
        let Some(latest) = issue.managed.as_ref().and_then(|managed| managed.run.as_ref()) else {
            return Ok(Vec::new());
        };
        let mut runs = if latest.id.run > 1 { self.replayed(key, latest.id)? } else { Vec::new() };
        runs.push(latest.clone());
        Ok(runs)
    }

    /// Returns the runs before this one, by folding the journal again. A journal without its beginning would number
    /// them wrongly; since it does not lead to the current run, it yields none.
    fn replayed(&self, key: &IssueKey, latest: RunId) -> Result<Vec<Run>, StoreError> {
        let (mut issue, mut repo) = (Issue::default(), Repo::default());
        let mut earlier = Vec::new();
        let mut present: Option<Run> = None;
        for entry in journal::entries(&self.connection, Some(&key.to_string()), 0)? {
            fold(entry.at, &entry.fact, &mut issue, &mut repo);
            let run = issue.managed.as_ref().and_then(|managed| managed.run.clone());
            let is_another = present.as_ref().map(|run| run.id) != run.as_ref().map(|run| run.id);
            if is_another {
                earlier.extend(present);
            }
            present = run;
        }
        let leads_to_it = present.is_some_and(|run| run.id == latest);
        Ok(if leads_to_it { earlier } else { Vec::new() })
    }

    fn record(
        &self,
        about: &IssueReport,
        run: &Run,
        managed: Option<&Managed>,
    ) -> Result<RunRecord, StoreError> {
        let plan = match &run.plan {
            Some(plan) => self.text(plan.text)?,
            None => None,
        };
        let steps = run.steps.iter().map(|step| StepReport {
            step: step.step.name(),
            attempt: step.attempt.0,
            started: step.started,
            ended: step.ended,
            how: step.how.clone(),
            session: step.session.clone(),
            tokens: step.usage.map(Usage::tokens),
        });
        let workspace = run.workspace.as_ref();
        Ok(RunRecord {
            report: report(about, run, managed.is_some()),
            slot: run.slot,
            worktree: workspace.map(|workspace| workspace.path.as_str().to_owned()),
            base: workspace.map(|workspace| workspace.base.to_string()),
            head: run.head.as_ref().map(|head| head.commit.to_string()),
            pushed: run.pushed.as_ref().map(ToString::to_string),
            session: run.session.clone(),
            spent: SpentByName::from(&run.spent),
            work: managed.and_then(|managed| managed.work.as_ref()).map(work),
            step_records: steps.collect(),
            gates: views(&about.repo, Some(run)),
            ready_for_pr: run.is_ready_for_pull(),
            plan,
            last_failure: run.last_failure.clone(),
        })
    }
}

fn report(about: &IssueReport, run: &Run, is_latest: bool) -> RunReport {
    let next = run.id.run.saturating_add(1);
    let tokens = run.steps.iter().filter_map(|step| step.usage.map(Usage::tokens));
    RunReport {
        repo: about.repo.clone(),
        issue: about.number,
        run: run.id.to_string(),
        title: about.title.clone(),
        started: run.started,
        last_step: run.steps.iter().map(|step| step.ended).max(),
        steps: run.steps.len(),
        tokens: tokens.reduce(u64::saturating_add),
        branch: run.branch.to_string(),
        pull: run.pull.map(|pull| pull.0),
        is_superseded: !is_latest,
        says: if is_latest {
            about.says.clone()
        } else {
            format!("followed by run {}-{next}", run.id.issue)
        },
    }
}

const fn work(work: &Work) -> WorkReport {
    WorkReport {
        step: work.step.name(),
        attempt: work.attempt.0,
        started: work.started,
        deadline: work.deadline,
        state: match work.state {
            WorkState::Starting => "starting",
            WorkState::Underway => "running",
            WorkState::Ending(_) => "ending",
        },
    }
}
