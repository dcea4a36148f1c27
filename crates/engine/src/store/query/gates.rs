//! The gates of an issue's latest run.

use super::Reader;
use crate::store::StoreError;
use ralph_core::gate::{CommandRun, Gate, GateRecord, GateStatus};
use ralph_core::ids::{Attempt, IssueKey, RepoName};
use ralph_core::lane::Lanes;
use ralph_core::run::Run;
use ralph_core::time::Time;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateReport {
    pub repo: RepoName,
    pub issue: u64,
    pub run: Option<String>,
    pub gates: BTreeMap<&'static str, GateView>,
    pub ready_for_pr: bool,
    pub artifacts: Vec<String>,
    /// What was tried to repair what broke.
    pub lanes: Lanes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateView {
    pub status: GateStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Every command that was run, with how it ended and how long it took.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandRun>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub head: Option<String>,
    /// It failed and stops nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_advisory: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// Folders below Ralph's home with what the process was given and what it said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
}

impl Reader {
    /// `None`: the issue is not known.
    pub fn gates(&self, key: &IssueKey) -> Result<Option<GateReport>, StoreError> {
        let Some(issue) = self.issue(key)? else { return Ok(None) };
        let managed = issue.managed.as_ref();
        let run = managed.and_then(|managed| managed.run.as_ref());
        Ok(Some(GateReport {
            repo: key.repo.clone(),
            issue: key.number,
            run: run.map(|run| run.id.to_string()),
            gates: views(&key.repo, run),
            ready_for_pr: run.is_some_and(Run::is_ready_for_pull),
            artifacts: run.and_then(|run| run.last_failure.clone()).into_iter().collect(),
            lanes: managed.map(|managed| managed.lanes.clone()).unwrap_or_default(),
        }))
    }
}

/// Every gate, those that have judged nothing yet included.
pub(super) fn views(repo: &RepoName, run: Option<&Run>) -> BTreeMap<&'static str, GateView> {
    let gates = Gate::ALL.iter().map(|gate| {
        let record = run.and_then(|run| run.gates.get(*gate));
        let mut view = view(record);
        let process = record.and_then(|record| record.process.as_ref());
        let folders = process.zip(run).map(|(it, run)| folder(repo, run, *gate, it.attempt));
        view.artifacts = folders.into_iter().collect();
        (gate.name(), view)
    });
    gates.collect()
}

fn view(record: Option<&GateRecord>) -> GateView {
    let Some(record) = record else {
        return GateView {
            status: GateStatus::Pending,
            reason: None,
            skip_reason: None,
            command: None,
            commands: Vec::new(),
            url: None,
            head: None,
            is_advisory: false,
            attempt: None,
            started: None,
            ended: None,
            artifacts: Vec::new(),
        };
    };
    let is_skipped = record.status == GateStatus::Skipped;
    let reason = Some(record.reason.clone()).filter(|reason| !reason.is_empty());
    GateView {
        status: record.status,
        reason: reason.clone().filter(|_| !is_skipped),
        skip_reason: reason.filter(|_| is_skipped),
        command: record.command.clone(),
        commands: record.commands.clone(),
        url: record.url.clone(),
        head: record.head.as_ref().map(ToString::to_string),
        is_advisory: record.is_advisory,
        attempt: record.process.map(|process| process.attempt),
        started: record.process.map(|process| process.started),
        ended: record.process.map(|_| record.at),
        artifacts: Vec::new(),
    }
}

/// Where whoever runs the processes keeps what one was given and what it said.
fn folder(repo: &RepoName, run: &Run, gate: Gate, attempt: Attempt) -> String {
    let what = match gate {
        Gate::TestIntegrity => "integrity",
        Gate::PlanReview | Gate::Preflight | Gate::ProductReview | Gate::DevexReview | Gate::Ci => {
            gate.name()
        }
    };
    format!("runs/{}/{}/{attempt}-{what}", run.id, repo.key())
}
