//! The real world behind the engine's ports: git, agent processes, operator commands, HTTP and the clock.
//! Nothing here chooses; it does what an effect says and reports what it saw.

pub mod agent;
pub mod gate_runner;
pub mod git;
pub mod git_workspaces;
pub mod http_transport;
pub mod jobs;
pub mod network;
pub mod old_runs;
pub mod wall_clock;
pub mod watchdog;
pub mod workers;

mod current;
mod folder;
mod home;
mod integrity;
mod listener;
mod local_checks;
mod private_files;
mod progress;
mod transcript;
mod workshop;

use agent::{AgentSettings, CommandAgents};
use gate_runner::{GateRunner, GateSettings};
use git::{Git, Identity};
use git_workspaces::{GitWorkspaces, Remote};
use home::Home;
use jobs::{Jobs, Report};
use old_runs::RunName;
use ralph_contain::Launcher;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::time::Time;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use workers::Workers;
use workshop::Workshop;

/// The settings of the adapters of this machine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `RALPH_HOME`.
    pub home: PathBuf,
    /// The root below which decisions put worktrees.
    pub worktrees: ManagedRoot,
    /// The git program.
    pub git: PathBuf,
    /// The `PATH` of programs.
    pub path: OsString,
    pub identity: Identity,
    pub remote: Remote,
    pub launcher: Launcher,
    pub agents: AgentSettings,
    pub gates: GateSettings,
}

/// The ports to this machine. They share the work under way; each can be cloned for another thread.
#[derive(Debug, Clone)]
pub struct Adapters {
    pub workspaces: GitWorkspaces,
    pub workers: Workers,
    shop: Arc<Workshop>,
}

/// Ralph's home cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the folder {}", home.display())]
pub struct HomeUnusable {
    home: PathBuf,
    source: io::Error,
}

impl Adapters {
    /// News of the work comes through `reports`.
    pub fn open(settings: Settings, reports: Sender<Report>) -> Result<Self, HomeUnusable> {
        let unusable = |source| HomeUnusable { home: settings.home.clone(), source };
        let home = Home::open(&settings.home, settings.worktrees).map_err(unusable)?;
        let launcher = settings.launcher;
        let jobs = Arc::new(Jobs::new(reports, launcher.patience()));
        let (program, path, identity) = (settings.git, settings.path, settings.identity);
        let git = Git { program, path, identity, launcher };
        let shop = Arc::new(Workshop::new(
            git,
            home,
            settings.remote,
            settings.gates.file_bytes_max.clone(),
        ));
        let workspaces = GitWorkspaces::new(shop.clone(), jobs.clone());
        let workers = Workers {
            workspaces: workspaces.clone(),
            agents: CommandAgents::new(shop.clone(), jobs.clone(), settings.agents),
            gates: GateRunner::new(shop.clone(), jobs.clone(), settings.gates),
            jobs,
        };
        Ok(Self { workspaces, workers, shop })
    }

    /// Replaces the settings of later work. Work that is under way keeps the settings that it began with.
    pub fn replace(&self, agents: AgentSettings, gates: GateSettings) {
        self.workers.agents.replace(agents);
        self.shop.limit_files(gates.file_bytes_max.clone());
        self.workers.gates.replace(gates);
    }

    /// Removes the scratch folders that attempts of an earlier process left. Only the holder of the writer's lease may
    /// call it.
    pub fn sweep(&self) -> io::Result<()> {
        self.shop.sweep()
    }

    /// Removes the folders of runs in which nothing was written since `before`, but for those in `kept`. Gives how
    /// many. Only the holder of the writer's lease may call it.
    pub fn forget_runs(&self, kept: &BTreeSet<RunName>, before: Time) -> io::Result<usize> {
        old_runs::forget(&self.shop.home.runs(), kept, before)
    }

    /// Ends all work and returns once nothing of it is left. None of it is reported.
    pub fn end_all(&self) {
        self.workers.jobs.end_all();
    }
}
