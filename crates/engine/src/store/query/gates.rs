//! The gates of an issue's latest run.

use super::Reader;
use crate::store::StoreError;
use ralph_core::gate::{CommandRun, Gate, GateProcess, GateRecord, GateStatus};
use ralph_core::ids::{Attempt, IssueKey, RepoName};
use ralph_core::lane::Lanes;
use ralph_core::run::Run;
use ralph_core::time::Time;
use ralph_core::triage::Triaged;
use ralph_core::words;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateReport {
    pub repo: RepoName,
    pub issue: u64,
    pub run: Option<String>,
    pub gates: BTreeMap<&'static str, GateView>,
    pub ready_for_pr: bool,
    pub artifacts: Vec<String>,
    /// The attempts to repair what broke.
    pub lanes: Lanes,
    /// Triage of the latest red checks: excerpt, class, signature, and the action taken for each.
    pub red_checks: Vec<Triaged>,
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
    /// Every command that was run, with its result and duration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandRun>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub head: Option<String>,
    /// It failed, but it is advisory and stops nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_advisory: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<Attempt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Time>,
    /// Folders below Ralph's home with the input and output of the process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
}

impl Reader {
    /// `None` if the issue is unknown.
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
            red_checks: run.map(|run| run.red_checks.clone()).unwrap_or_default(),
        }))
    }
}

/// Every gate, including those that have judged nothing yet.
pub(super) fn views(repo: &RepoName, run: Option<&Run>) -> BTreeMap<&'static str, GateView> {
    let gates = Gate::ALL.iter().map(|gate| {
        let record = run.and_then(|run| run.gates.get(*gate));
        let mut view = view(record);
        let subject = run.and_then(|run| run.subject_of(*gate));
        let is_another = |(record, subject): &(&GateRecord, Cow<'_, str>)| {
            record.status != GateStatus::Pending && record.subject != *subject
        };
        if let Some((record, _)) = record.zip(subject).filter(is_another) {
            view.reason = Some(words::judged_before(record));
            view.status = GateStatus::Pending;
        }
        let process = record.and_then(|record| record.process.as_ref());
        let folders = process.zip(run).map(|(it, run)| folder(repo, run, *gate, it));
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

/// The folder in which the worker keeps the input and output of a process.
fn folder(repo: &RepoName, run: &Run, gate: Gate, process: &GateProcess) -> String {
    let what = gate.folder();
    let (run, attempt) = (process.run.unwrap_or(run.id), process.attempt);
    format!("runs/{run}/{}/{attempt}-{what}", repo.key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::ids::{RunId, Sha};
    use ralph_core::run::Head;

    /// The second run, which keeps the first run's gates, earned on another tree or on this one.
    fn second(tree: &str) -> Run {
        let key = IssueKey::parse("acme/app#7").expect("an issue");
        let head = |tree: &str| {
            let (commit, tree) = (Sha::new(&format!("commit-{tree}")), tree.to_owned());
            Some(Head {
                diff: format!("diff-{tree}"),
                commit,
                tree,
                ci_only: false,
                changes: None,
                summary: None,
            })
        };
        let mut first = Run::next(&key, "A page", None, Time(0));
        first.head = head("a");
        let process = GateProcess {
            run: Some(RunId { issue: 7, run: 1 }),
            attempt: Attempt(3),
            started: Time(0),
        };
        let record = first.judged(Gate::Preflight, GateStatus::Pass, "", Time(1));
        first.gates.set(Gate::Preflight, GateRecord { process: Some(process), ..record });
        let second = Run::next(&key, "A page", Some(&first), Time(2));
        Run { head: head(tree), ..second }
    }

    #[test]
    fn what_an_earlier_run_has_earned_is_found_where_that_run_kept_it() {
        let repo = RepoName::parse("acme/app").expect("a name");
        let views = views(&repo, Some(&second("a")));
        let preflight = views.get("preflight").expect("a gate");
        assert_eq!(preflight.status, GateStatus::Pass);
        assert_eq!(preflight.artifacts, ["runs/7-1/acme__app/3-preflight"]);
    }

    #[test]
    fn what_passed_on_something_else_is_pending() {
        let repo = RepoName::parse("acme/app").expect("a name");
        let views = views(&repo, Some(&second("b")));
        let preflight = views.get("preflight").expect("a gate");
        assert_eq!(preflight.status, GateStatus::Pending);
        let told = "passed before; what is there now is not judged yet";
        assert_eq!(preflight.reason.as_deref(), Some(told));
    }
}
