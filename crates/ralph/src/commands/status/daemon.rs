//! The daemon's report of itself, compared with whether one runs at all.

use crate::containment::OFF;
use crate::daemon_status::{Budget, DaemonStatus, Degraded, DegradedKind, SandboxState};
use crate::home::Home;
use crate::moment::moment;
use crate::screen::plain;
use crate::writer_lock;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_engine::store::{IssueReport, StatusReport};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub(super) struct Daemon {
    /// `None`: no daemon has ever said anything.
    daemon: Option<Life>,
    pub(super) workers: Workers,
    budget: Option<Budget>,
    degraded: Vec<Degraded>,
    #[serde(skip)]
    is_running: bool,
}

#[derive(Debug, Serialize)]
struct Life {
    /// Does it run now? If not, the rest is from its last moments.
    running: bool,
    pid: u32,
    started: Time,
    heartbeat: Time,
    /// It runs and says nothing.
    silent: bool,
    config_error: Option<String>,
    config_error_since: Option<Time>,
    restart_needed: Vec<String>,
    sandbox: Option<SandboxState>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    untested_agents: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Workers {
    busy: usize,
    /// `None`: no daemon runs.
    max: Option<u32>,
    pub(super) running: Vec<Worker>,
}

#[derive(Debug, Serialize)]
pub(super) struct Worker {
    pub(super) issue: String,
    pub(super) step: &'static str,
    pub(super) state: &'static str,
    pub(super) until: Option<Time>,
}

impl Daemon {
    pub(super) fn look(home: &Home, report: &StatusReport, now: Time) -> Self {
        // What cannot be read says nothing; `ralph doctor` says why it cannot.
        let said = DaemonStatus::read(home).ok().flatten();
        let is_running = writer_lock::is_held(home).unwrap_or(false);
        let present = said.as_ref().filter(|_| is_running);
        // Processes die with the daemon, whatever a verdict from before says.
        let running = report.issues.iter().filter(|_| is_running).filter_map(worker);
        let running: Vec<_> = running.collect();
        Self {
            is_running,
            workers: Workers {
                busy: running.len(),
                max: present.map(|said| said.workers.max),
                running,
            },
            budget: present.and_then(|said| said.budget),
            degraded: present.map(|said| said.degraded.clone()).unwrap_or_default(),
            daemon: said.map(|said| Life {
                running: is_running,
                pid: said.pid,
                started: said.started,
                silent: is_running && said.is_stale(now),
                heartbeat: said.heartbeat,
                config_error: said.config_error,
                config_error_since: said.config_error_since,
                restart_needed: said.restart_needed,
                sandbox: said.sandbox,
                untested_agents: said.untested_agents,
            }),
        }
    }

    pub(super) const fn is_running(&self) -> bool {
        self.is_running
    }

    pub(super) const fn is_unknown(&self) -> bool {
        self.daemon.is_none()
    }

    pub(super) fn for_people(&self, now: Time) -> String {
        let Some(life) = &self.daemon else { return String::new() };
        let (pid, heartbeat) = (life.pid, moment(now, life.heartbeat));
        if !life.running {
            return format!(
                "No daemon runs; the last one, process {pid}, was last active {heartbeat}.\n"
            );
        }
        let mut text = String::new();
        if let Some(max) = self.workers.max {
            text.push_str(&format!("Workers: {} of {max} busy\n", self.workers.busy));
        }
        if let Some(Budget { remaining, limit, resets }) = self.budget {
            let left = if resets > now {
                format!("{remaining} of {limit} requests left, full again {}", moment(now, resets))
            } else {
                format!("{limit} requests, full again since {}", moment(now, resets))
            };
            text.push_str(&format!("Forge budget: {left}\n"));
        }
        // The configuration and the agents have lines of their own.
        let has_line = [DegradedKind::Configuration, DegradedKind::Agents];
        let reported = self.degraded.iter().filter(|one| !has_line.contains(&one.kind));
        for Degraded { what, why, since, until, .. } in reported {
            let since = since.map(|since| format!(" (since {})", moment(now, since)));
            let since = since.unwrap_or_default();
            let again = match until {
                Some(until) if *until > now => format!("; tried again {}", moment(now, *until)),
                Some(_) => "; tried again now".to_owned(),
                None => String::new(),
            };
            text.push_str(&format!("Degraded: {}: {}{since}{again}\n", plain(what), plain(why)));
        }
        if life.sandbox == Some(SandboxState::Off) {
            text.push_str(&format!("Warning: {OFF}\n"));
        }
        for warning in &life.untested_agents {
            text.push_str(&format!("Warning: {}\n", plain(warning)));
        }
        text.push_str(&life.settings(now));
        let started = moment(now, life.started);
        if life.silent {
            text.push_str(&format!(
                "A daemon runs, but says nothing: process {pid}, started {started}, last active {heartbeat}. \
                 If it stays silent, look for a full disk, or end it and start it again; nothing is lost.\n"
            ));
            return text;
        }
        text.push_str(&format!(
            "A daemon runs: process {pid}, started {started}, last active {heartbeat}.\n"
        ));
        text
    }
}

impl Life {
    /// The settings of the file that are not in force.
    fn settings(&self, now: Time) -> String {
        let mut text = String::new();
        if let Some(error) = &self.config_error {
            let since =
                self.config_error_since.map(|since| format!(" since {}", moment(now, since)));
            text.push_str(&format!(
                "The configuration in the file is not in force{}: {}\n",
                since.unwrap_or_default(),
                plain(error)
            ));
        }
        if !self.restart_needed.is_empty() {
            let settings = plain(&self.restart_needed.join(", "));
            text.push_str(&format!("In the file, and in force after a restart: {settings}\n"));
        }
        text
    }
}

/// The process of an issue, as its verdict tells.
fn worker(issue: &IssueReport) -> Option<Worker> {
    let (step, state, until) = match issue.standing.as_ref()? {
        Standing::Starting { step } => (step, "starting", None),
        Standing::Working { step, until, .. } => (step, "running", Some(*until)),
        Standing::Ending { step } => (step, "ending", None),
        Standing::Out
        | Standing::LooksForIssue
        | Standing::WouldQueue
        | Standing::InLine
        | Standing::WaitsForBotBranch
        | Standing::Blocked { .. }
        | Standing::WaitsForSlot { .. }
        | Standing::WaitsForAnswers { .. }
        | Standing::Pushing
        | Standing::OpeningPull
        | Standing::LooksAtIssue { .. }
        | Standing::WaitsForPull { .. }
        | Standing::WaitsForRequiredChecks { .. }
        | Standing::WaitsForChecks { .. }
        | Standing::ReadsProof { .. }
        | Standing::TellsVerdict
        | Standing::ReadsCheckLogs { .. }
        | Standing::RerunsChecks { .. }
        | Standing::WaitsForMergeable { .. }
        | Standing::WaitsForMergeSlot { .. }
        | Standing::WaitsForTrial { .. }
        | Standing::WaitsForCompany { .. }
        | Standing::TrialsRest { .. }
        | Standing::BringingUpToDate { .. }
        | Standing::Merging { .. }
        | Standing::Paused { .. }
        | Standing::Escalated { .. }
        | Standing::Stopped { .. }
        | Standing::InBot { .. }
        | Standing::Done
        | Standing::RepositoryHeld
        | Standing::LooksUp
        | Standing::Repository { .. } => return None,
    };
    let name = format!("{}#{}", issue.repo, issue.number);
    Some(Worker { issue: name, step: step.name(), state, until })
}
