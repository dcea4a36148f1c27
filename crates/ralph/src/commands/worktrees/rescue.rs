//! Saving what is in a worktree before it goes, in the way a daemon does it.

use crate::config::SandboxRule;
use crate::containment::{self, Sandbox};
use crate::daemon::author;
use crate::environment::{self, Environment};
use crate::home::Home;
use crate::writer_lock::{self, Quiet};
use ralph_adapters::agent::{AgentCommand, AgentSettings, Program};
use ralph_adapters::gate_runner::GateSettings;
use ralph_adapters::git_workspaces::{GitWorkspaces, Remote};
use ralph_adapters::network::NetworkRule;
use ralph_adapters::watchdog::StallLimits;
use ralph_adapters::{Adapters, HomeUnusable, Settings};
use ralph_contain::{Limits, View};
use ralph_core::ids::IssueKey;
use ralph_core::managed_path::{ManagedPath, ManagedRoot};
use ralph_engine::ports::Answer;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

/// The place of the work of a worktree that is gone.
#[derive(Debug, Serialize)]
pub(super) struct Kept {
    pub(super) repository: PathBuf,
    #[serde(rename = "ref")]
    pub(super) reference: String,
}

/// The reason why a worktree stays.
#[derive(Debug, thiserror::Error)]
pub(super) enum RescueError {
    #[error(
        "a daemon runs, and gives up itself what it no longer needs; stop it to do it from here"
    )]
    DaemonRuns,
    #[error("cannot find out whether a daemon runs: {0}")]
    Lock(String),
    #[error("cannot locate the ralph executable: {0}")]
    Program(io::Error),
    #[error(transparent)]
    Home(#[from] HomeUnusable),
    #[error("{} cannot hold worktrees", .0.display())]
    Root(PathBuf),
    #[error("what is in it could not be saved: {0}")]
    NotSaved(String),
}

/// Gives worktrees up, while no daemon does anything with them.
pub(super) struct Rescuer<'a> {
    home: &'a Home,
    environment: &'a Environment,
    quiet: io::Result<Option<Quiet>>,
    /// Made once something has to be saved.
    workspaces: Option<GitWorkspaces>,
}

impl<'a> Rescuer<'a> {
    /// From here on no daemon starts.
    pub(super) fn new(home: &'a Home, environment: &'a Environment) -> Self {
        Self { home, environment, quiet: writer_lock::keep_out(home), workspaces: None }
    }

    /// Saves what is in a worktree and removes it. `None`: there was nothing in it.
    pub(super) fn give_up(
        &mut self,
        root: &Path,
        issue: &IssueKey,
        path: &ManagedPath,
    ) -> Result<Option<Kept>, RescueError> {
        match &self.quiet {
            Ok(Some(_)) => {}
            Ok(None) => return Err(RescueError::DaemonRuns),
            Err(error) => return Err(RescueError::Lock(error.to_string())),
        }
        let workspaces = match &mut self.workspaces {
            Some(workspaces) => workspaces,
            none => none.insert(open(self.home, root, self.environment)?),
        };
        let repository = self.home.repos().join(format!("{}.git", issue.repo.key()));
        match workspaces.give_up(path) {
            Answer::Happened(rescued) => {
                Ok(rescued.map(|reference| Kept { repository, reference }))
            }
            Answer::Refused(refusal) => Err(RescueError::NotSaved(refusal.message)),
            Answer::Later { why, .. } | Answer::Unknown { why } => Err(RescueError::NotSaved(why)),
        }
    }
}

/// Only git is needed, and nothing of the forge.
fn open(home: &Home, root: &Path, environment: &Environment) -> Result<GitWorkspaces, RescueError> {
    let executable = environment::this_program().map_err(RescueError::Program)?;
    let path = environment::program_path().unwrap_or_default();
    let sandbox = Sandbox::find(SandboxRule::On, &path);
    let (at, user_home) = (path.clone(), environment.user_home.clone());
    let view = View { path: at, user_home, ..View::default() };
    let worktrees = root.to_str().and_then(ManagedRoot::new);
    let nobody = AgentCommand {
        command: Vec::new(),
        stall: StallLimits::default(),
        environment: BTreeMap::new(),
        network: NetworkRule::None,
        limits: Limits::default(),
        program: Program::default(),
        prices: Default::default(),
        accounts: BTreeMap::new(),
    };
    let settings = Settings {
        home: home.path().to_owned(),
        worktrees: worktrees.ok_or_else(|| RescueError::Root(root.to_owned()))?,
        git: PathBuf::from("git"),
        identity: author(),
        remote: Remote {
            base_url: String::new(),
            token: Arc::new(|_| Ok(None)),
            fence: None,
            proxy: None,
        },
        launcher: containment::launcher(executable, &sandbox, view),
        agents: AgentSettings { default: nobody, roles: BTreeMap::new() },
        gates: GateSettings::default(),
        path,
    };
    let (reports, _unheard) = mpsc::channel();
    Ok(Adapters::open(settings, reports)?.workspaces)
}
