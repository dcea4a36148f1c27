//! The real world behind the engine's ports: git, agent processes, operator commands, HTTP and the clock.
//! Nothing here chooses; it does what an effect says and reports what it saw.

pub mod agent;
pub mod gate_runner;
pub mod git;
pub mod git_workspaces;
pub mod guard;
pub mod http_transport;
pub mod jobs;
pub mod old_runs;
pub mod wall_clock;
pub mod watchdog;
pub mod workers;

mod command;
mod current;
mod folder;
mod home;
mod integrity;
mod local_checks;
mod private_files;
mod process_tree;
mod progress;
mod switch;
mod transcript;
mod workshop;

use agent::{AgentSettings, CommandAgents};
use gate_runner::{GateRunner, GateSettings};
use git::{Git, Identity};
use git_workspaces::{GitWorkspaces, Remote};
use guard::{Containment, Guard, GuardSettings};
use home::Home;
use jobs::{Jobs, Report};
use old_runs::RunName;
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

/// Everything the adapters of this machine have to be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `RALPH_HOME`.
    pub home: PathBuf,
    /// Where decisions put worktrees.
    pub worktrees: ManagedRoot,
    /// The git program.
    pub git: PathBuf,
    /// Where programs are looked for.
    pub path: OsString,
    pub identity: Identity,
    pub remote: Remote,
    pub guard: GuardSettings,
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
        let guard = Guard::new(settings.guard);
        let jobs = Arc::new(Jobs::new(reports, guard.patience()));
        let (program, path, identity) = (settings.git, settings.path, settings.identity);
        let git = Git { program, path, identity, guard };
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

    /// What begins from now on begins with these settings; what is under way ends with the ones it began with.
    pub fn replace(&self, agents: AgentSettings, gates: GateSettings) {
        self.workers.agents.replace(agents);
        self.shop.limit_files(gates.file_bytes_max.clone());
        self.workers.gates.replace(gates);
    }

    /// Removes what attempts of an earlier life left in their scratch folders. Only for whoever holds the
    /// writer's lease.
    pub fn sweep(&self) -> io::Result<()> {
        self.shop.sweep()
    }

    /// Removes the folders of runs in which nothing was written since `before`, but for those in `kept`. Gives how
    /// many. Only for whoever holds the writer's lease.
    pub fn forget_runs(&self, kept: &BTreeSet<RunName>, before: Time) -> io::Result<usize> {
        old_runs::forget(&self.shop.home.runs(), kept, before)
    }

    /// Ends all work and returns once nothing of it is left. None of it is reported.
    pub fn end_all(&self) {
        self.workers.jobs.end_all();
    }

    /// What is in force, for `doctor`.
    #[must_use]
    pub fn containment(&self) -> Containment {
        self.shop.git.guard.containment()
    }
}
