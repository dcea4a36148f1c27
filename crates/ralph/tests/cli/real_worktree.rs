//! A worktree as the adapters make it, of a repository with one commit, with a file in it that is not
//! committed.

use crate::doctor::path;
use crate::home::{Home, a_process};
use crate::sample_store::key;
use ralph_adapters::agent::{AgentCommand, AgentSettings, Program};
use ralph_adapters::gate_runner::GateSettings;
use ralph_adapters::git::Identity;
use ralph_adapters::git_workspaces::Remote;
use ralph_adapters::jobs::Report;
use ralph_adapters::network::NetworkRule;
use ralph_adapters::watchdog::StallLimits;
use ralph_adapters::{Adapters, Settings};
use ralph_contain::{Containment, GuardProgram, Launcher, Limits, View};
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, Branch, RunId};
use ralph_core::job::Job;
use ralph_core::managed_path::ManagedRoot;
use ralph_engine::ports::Start;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Long enough for a few calls of git on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The worktree of an issue's first run.
pub(crate) fn real_worktree(home: &Home, number: u64) -> PathBuf {
    let _guard = a_process();
    seed_forge(home);
    let root = ManagedRoot::new(home.path().join("worktrees").to_str().unwrap()).unwrap();
    let (reports, reported) = mpsc::channel();
    let workspaces = Adapters::open(settings(home, root.clone()), reports).unwrap().workspaces;
    let (issue, run) = (key(number), RunId { issue: number, run: 1 });
    let worktree = root.worktree(&issue, 0, run);
    let (branch, base) = (Branch::new("ralph/issue"), Branch::new("main"));
    let job = Job::Workspace { run, path: worktree.clone(), branch, base, leaves: None };
    let start =
        Start { issue: &issue, attempt: Attempt(1), token: 1, job: &job, prompt: "", remarks: &[] };
    drop(workspaces.prepare(&start));
    let outcome =
        std::iter::from_fn(|| reported.recv_timeout(PATIENCE).ok()).find_map(
            |report| match report {
                Report::Finished { outcome, .. } => Some(outcome),
                Report::Output { .. } | Report::Used { .. } | Report::Suspected { .. } => None,
            },
        );
    assert!(matches!(outcome, Some(Outcome::WorkspaceReady { .. })), "{outcome:?}");
    let worktree = PathBuf::from(worktree.as_str());
    std::fs::write(worktree.join("draft.txt"), "precious\n").unwrap();
    worktree
}

/// Git's output in a folder.
#[expect(clippy::disallowed_methods, reason = "tests look at repositories as a person would")]
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Mia", "-c", "user.email=mia@localhost"]).args(words);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn seed_forge(home: &Home) {
    let repository = home.path().join("forge/acme/widgets.git");
    std::fs::create_dir_all(&repository).unwrap();
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(repository.join("README.md"), "# Widgets\n").unwrap();
    git(&repository, &["add", "README.md"]);
    git(&repository, &["commit", "--quiet", "-m", "Begin"]);
}

fn settings(home: &Home, worktrees: ManagedRoot) -> Settings {
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
    let base_url = home.path().join("forge").display().to_string();
    Settings {
        home: home.path().to_owned(),
        worktrees,
        git: "git".into(),
        path: path(),
        identity: Identity { name: "Ralph".to_owned(), email: "ralph@localhost".to_owned() },
        remote: Remote { base_url, token: Arc::new(|_| Ok(None)), fence: None, proxy: None },
        launcher: Launcher {
            guard: GuardProgram {
                program: env!("CARGO_BIN_EXE_ralph").into(),
                arguments: vec!["guard".into()],
            },
            containment: Containment::Guard,
            grace: PATIENCE,
            view: View::default(),
        },
        agents: AgentSettings { default: nobody, roles: BTreeMap::new() },
        gates: GateSettings::default(),
    }
}
