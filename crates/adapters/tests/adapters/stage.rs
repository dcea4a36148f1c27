//! The stage of the tests: a forge that is a folder of bare repositories, a home for Ralph, and adapters that
//! run shell scripts as agents.
#![expect(clippy::disallowed_methods, reason = "tests start git themselves")]
#![expect(clippy::print_stdout, reason = "what cannot be tested here is said")]

use crate::disk;
use crate::forge_folder::seed_forge;
pub(crate) use crate::forge_folder::{commit_to_forge, git};
use ralph_adapters::agent::{AgentCommand, AgentSettings, Program};
use ralph_adapters::gate_runner::GateSettings;
use ralph_adapters::git::Identity;
use ralph_adapters::git_workspaces::Remote;
use ralph_adapters::jobs::Report;
use ralph_adapters::network::NetworkRule;
use ralph_adapters::watchdog::StallLimits;
use ralph_adapters::{Adapters, Settings};
use ralph_contain::{Containment, GuardProgram, Launcher, Limits, Probe, View};
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer as Said, Outcome};
use ralph_core::ids::{Attempt, Branch, IssueKey, RepoName, RunId, Sha};
use ralph_core::job::{Job, Role, Turn};
use ralph_core::managed_path::{ManagedPath, ManagedRoot};
use ralph_core::run::Head;
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, Start, Workers as _};
use ralph_github::Fence;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

/// Long enough for the busiest machine; no test waits for it unless something is wrong.
pub(crate) const WAIT: Duration = Duration::from_secs(120);
pub(crate) const RUN: RunId = RunId { issue: 7, run: 1 };
pub(crate) const BRANCH: &str = "ralph/issue-7-do-it";
pub(crate) const BASE: &str = "bot/integration";

/// The containment of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    ByBubblewrap,
    ByGuard,
}

pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) adapters: Adapters,
    pub(crate) reports: Receiver<Report>,
    pub(crate) issue: IssueKey,
    attempt: u32,
    has_disk: bool,
    _temporary: TempDir,
}

/// Says which containments can be tested here. Bubblewrap is left out, loudly, where it does not work.
pub(crate) fn containments() -> Vec<Kept> {
    match Probe::run(Path::new("bwrap"), &path()) {
        Probe::Works(_) => vec![Kept::ByBubblewrap, Kept::ByGuard],
        why @ (Probe::Absent | Probe::Fails(_)) => {
            println!("Bubblewrap does not work here, so only the guard is tested: {why:?}");
            vec![Kept::ByGuard]
        }
    }
}

pub(crate) fn path() -> OsString {
    std::env::var_os("PATH").expect("a PATH")
}

/// The differences of a stage from the usual one.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    pub(crate) kept: Kept,
    pub(crate) stall: StallLimits,
    pub(crate) grace: Duration,
    /// The name of the folder everything lies in.
    pub(crate) folder: &'static str,
    /// Ralph's home is reached by a link.
    pub(crate) is_home_linked: bool,
    pub(crate) cache_dirs: Vec<PathBuf>,
    pub(crate) file_bytes_max: Option<u64>,
    /// The address of a forge outside of the folder.
    pub(crate) forge_url: Option<String>,
    /// Outside of it nothing is pushed.
    pub(crate) fence: Option<Fence>,
    /// Ralph's home is a separate disk with this many bytes.
    pub(crate) disk_bytes: Option<u64>,
    pub(crate) agent_environment: Vec<(&'static str, &'static str)>,
    /// Another program than the shell script.
    pub(crate) agent: Option<&'static str>,
    pub(crate) program: Program,
    /// Files and folders below the stage's that nothing may see.
    pub(crate) secret: Vec<&'static str>,
    /// Of agents, setup and preflight.
    pub(crate) network: NetworkRule,
    pub(crate) limits: Limits,
}

impl Default for Set {
    fn default() -> Self {
        Self {
            kept: Kept::ByGuard,
            stall: StallLimits { idle: WAIT, ..StallLimits::default() },
            grace: Duration::from_secs(5),
            folder: "stage",
            is_home_linked: false,
            cache_dirs: Vec::new(),
            file_bytes_max: None,
            forge_url: None,
            fence: None,
            disk_bytes: None,
            agent_environment: Vec::new(),
            agent: None,
            program: Program::default(),
            secret: Vec::new(),
            network: NetworkRule::Open,
            limits: Limits::default(),
        }
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::set(&Set::default())
    }

    pub(crate) fn kept(kept: Kept) -> Self {
        Self::set(&Set { kept, ..Set::default() })
    }

    pub(crate) fn set(set: &Set) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path().join(set.folder);
        seed_forge(&folder);
        let home = folder.join("home");
        if set.is_home_linked {
            let real = folder.join("real home");
            std::fs::create_dir(&real).expect("a folder");
            std::os::unix::fs::symlink(&real, &home).expect("a link");
        }
        if let Some(bytes) = set.disk_bytes {
            disk::mount(&home, bytes);
        }
        let (sender, reports) = channel();
        let settings = settings(&folder, &home, set);
        let adapters = Adapters::open(settings, sender).expect("adapters");
        let issue = IssueKey::new(RepoName::parse("acme/widgets").expect("a name"), 7);
        let has_disk = set.disk_bytes.is_some();
        Self { folder, home, adapters, reports, issue, attempt: 0, has_disk, _temporary: temporary }
    }

    /// The same home after a restart of Ralph.
    pub(crate) fn restart(&mut self, set: &Set) {
        let (sender, reports) = channel();
        let settings = settings(&self.folder, &self.home, set);
        self.adapters = Adapters::open(settings, sender).expect("adapters");
        self.reports = reports;
    }

    pub(crate) fn root(&self) -> ManagedRoot {
        ManagedRoot::new(&format!("{}/worktrees", self.home.display())).expect("a root")
    }

    pub(crate) fn worktree(&self) -> ManagedPath {
        self.root().worktree(&self.issue, 0, RUN)
    }

    pub(crate) fn worktree_path(&self) -> PathBuf {
        PathBuf::from(self.worktree().as_str())
    }

    pub(crate) fn mirror(&self) -> PathBuf {
        self.home.join("repos/acme__widgets.git")
    }

    pub(crate) fn forge(&self) -> PathBuf {
        self.folder.join("forge/acme/widgets.git")
    }

    /// Sets the script of the agent's next turns.
    pub(crate) fn script(&self, text: &str) {
        std::fs::write(self.folder.join("agent.sh"), text).expect("a script");
    }

    pub(crate) fn attempt(&self) -> Attempt {
        Attempt(self.attempt)
    }

    pub(crate) fn next_attempt(&mut self) -> Attempt {
        self.attempt += 1;
        self.attempt()
    }

    /// Starts the next attempt without waiting for it.
    pub(crate) fn start(&mut self, job: &Job, prompt: &str) {
        let attempt = self.next_attempt();
        let start = Start { issue: &self.issue, attempt, token: 1, job, prompt, remarks: &[] };
        let answer = self.adapters.workers.start(&start);
        assert_eq!(answer, Answer::Happened(()));
    }

    /// Waits for the end of the latest attempt.
    pub(crate) fn finished(&self) -> (Outcome, Vec<(Digest, String)>) {
        loop {
            match self.reports.recv_timeout(WAIT).expect("a report") {
                Report::Output { .. } | Report::Used { .. } | Report::Suspected { .. } => {}
                Report::Finished { issue, attempt, outcome, texts, .. } => {
                    assert_eq!((issue, attempt), (self.issue.clone(), self.attempt()));
                    return (outcome, texts);
                }
            }
        }
    }

    pub(crate) fn run(&mut self, job: &Job, prompt: &str) -> Outcome {
        self.start(job, prompt);
        self.finished().0
    }

    pub(crate) fn prepare_job(&self) -> Job {
        let (branch, base) = (Branch::new(BRANCH), Branch::new(BASE));
        Job::Workspace { run: RUN, path: self.worktree(), branch, base, leaves: None }
    }

    /// Prepares the workspace and gives its base.
    pub(crate) fn prepare(&mut self) -> Sha {
        let outcome = self.run(&self.prepare_job(), "");
        let Outcome::WorkspaceReady { base, .. } = outcome else {
            panic!("not ready: {outcome:?}")
        };
        base
    }

    pub(crate) fn turn(&self, role: Role, base: &Sha, head: Option<&Head>) -> Turn {
        Turn {
            run: RUN,
            role,
            manner: role.manner(),
            path: self.worktree(),
            branch: Branch::new(BRANCH),
            head: head.map(|head| head.commit.clone()),
            base: base.clone(),
            session: None,
            is_repair: false,
            earlier: None,
            timeout: Span::from_secs(120),
            title: "Do it".to_owned(),
            body: Digest::of(""),
            plan: None,
            feedback: None,
            findings: Vec::new(),
            stalled: None,
            parent: None,
            merging: None,
            notes: Vec::new(),
            messages: Vec::new(),
            claims_file: "claims/canonical.jsonl".to_owned(),
            guidance: Default::default(),
            account: None,
        }
    }

    /// Lets the agent do `script` as an implementation turn.
    pub(crate) fn implement(&mut self, script: &str) -> Outcome {
        let base = Sha::new(git(&self.forge(), &["rev-parse", BASE]).trim());
        self.script(script);
        self.run(&Job::Turn(Box::new(self.turn(Role::Implement, &base, None))), "Do it")
    }

    pub(crate) fn run_folder(&self) -> PathBuf {
        self.home.join("runs/7-1/acme__widgets")
    }
}

/// The change of a turn.
pub(crate) fn changed(outcome: Outcome) -> Head {
    let Outcome::Turn { answer: Said::Changed(head), .. } = outcome else {
        panic!("not changed: {outcome:?}")
    };
    head
}

/// The reason of a failure.
pub(crate) fn reason(outcome: Outcome) -> String {
    use Outcome::{AgentFailed, Failed};
    let (Failed { reason } | AgentFailed { reason, .. }) = outcome else {
        panic!("it has not failed")
    };
    reason
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.adapters.end_all();
        if self.has_disk {
            disk::unmount(&self.home);
        }
    }
}

fn settings(folder: &Path, home: &Path, set: &Set) -> Settings {
    let environment: BTreeMap<OsString, OsString> =
        [("PATH".into(), path()), ("LANG".into(), "C.UTF-8".into())].into();
    let mut agent = environment.clone();
    agent.extend(set.agent_environment.iter().map(|(k, v)| (k.into(), v.into())));
    let script = folder.join("agent.sh").display().to_string();
    let command = set.agent.map_or_else(|| vec!["sh".to_owned(), script], |it| vec![it.to_owned()]);
    let containment = match set.kept {
        Kept::ByBubblewrap => Containment::Bubblewrap("bwrap".into()),
        Kept::ByGuard => Containment::Guard,
    };
    let repo = RepoName::parse("acme/widgets").expect("a name");
    let (stall, network, limits) = (set.stall, set.network.clone(), set.limits);
    Settings {
        home: home.to_owned(),
        worktrees: ManagedRoot::new(&format!("{}/worktrees", home.display())).expect("a root"),
        git: "git".into(),
        path: path(),
        identity: Identity { name: "Ralph".to_owned(), email: "ralph@localhost".to_owned() },
        remote: Remote {
            base_url: set.forge_url.clone().unwrap_or(folder.join("forge").display().to_string()),
            token: Arc::new(|_| Ok(Some("a-token-of-the-forge".to_owned()))),
            fence: set.fence.clone(),
            proxy: None,
        },
        launcher: Launcher {
            guard: GuardProgram {
                program: env!("CARGO_BIN_EXE_adapters-stand-in").into(),
                arguments: vec!["guard".into()],
            },
            containment,
            grace: set.grace,
            view: View {
                path: path(),
                user_home: Some(folder.join("user")),
                shown: Vec::new(),
                secret: set.secret.iter().map(|name| folder.join(name)).collect(),
            },
        },
        agents: AgentSettings {
            default: AgentCommand {
                command,
                stall,
                environment: agent,
                network,
                limits,
                program: set.program.clone(),
                prices: Default::default(),
                accounts: BTreeMap::new(),
            },
            roles: BTreeMap::new(),
        },
        gates: GateSettings {
            environment,
            cache_dirs: [(repo.clone(), set.cache_dirs.clone())].into(),
            networks: [(repo.clone(), set.network.clone())].into(),
            limits,
            file_bytes_max: set.file_bytes_max.map(|bytes| (repo, bytes)).into_iter().collect(),
        },
    }
}
