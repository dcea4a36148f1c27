//! The program that the tests start in place of `ralph`: the guard, and a small daemon that is there to be killed.
#![expect(clippy::print_stdout, reason = "the test reads what this prints")]

use ralph_adapters::agent::{AgentCommand, AgentSettings, Program};
use ralph_adapters::gate_runner::GateSettings;
use ralph_adapters::git::Identity;
use ralph_adapters::git_workspaces::Remote;
use ralph_adapters::jobs::Report;
use ralph_adapters::network::NetworkRule;
use ralph_adapters::watchdog::StallLimits;
use ralph_adapters::{Adapters, Settings};
use ralph_contain::{Containment, GuardProgram, Launcher, Limits, View};
use ralph_core::digest::Digest;
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, Branch, IssueKey, RepoName, RunId, Sha};
use ralph_core::job::{Job, Role, Turn};
use ralph_core::managed_path::{ManagedPath, ManagedRoot};
use ralph_core::time::Span;
use ralph_engine::ports::{Start, Workers as _};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(OsStr::to_str) {
        Some("guard") => ralph_contain::guard_main(arguments),
        Some("life") => {
            live(&arguments.collect::<Vec<_>>()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        _other => ExitCode::FAILURE,
    }
}

/// Prepares a workspace, starts an agent in it, and prints what the agent says: `<folder> <PATH> [bwrap]`.
fn live(arguments: &[OsString]) -> Option<()> {
    let folder = Path::new(arguments.first()?);
    let home = folder.join("home");
    let worktrees = ManagedRoot::new(home.join("worktrees").to_str()?)?;
    let environment: BTreeMap<_, _> = [("PATH".into(), arguments.get(1)?.clone())].into();
    let script = folder.join("agent.sh").to_str()?.to_owned();
    let settings = Settings {
        home,
        worktrees: worktrees.clone(),
        git: "git".into(),
        path: arguments.get(1)?.clone(),
        identity: Identity { name: "Ralph".to_owned(), email: "ralph@localhost".to_owned() },
        remote: Remote {
            base_url: folder.join("forge").to_str()?.to_owned(),
            token: Arc::new(|_| Ok(None)),
            fence: None,
            proxy: None,
        },
        launcher: Launcher {
            guard: GuardProgram {
                program: std::env::current_exe().ok()?,
                arguments: vec!["guard".into()],
            },
            containment: arguments
                .get(2)
                .map_or(Containment::Guard, |program| Containment::Bubblewrap(program.into())),
            grace: Duration::from_millis(200),
            view: View::default(),
        },
        agents: AgentSettings { default: agent(script, environment), roles: BTreeMap::new() },
        gates: GateSettings::default(),
    };
    let (sender, reports) = channel();
    let mut adapters = Adapters::open(settings, sender).ok()?;
    let issue = IssueKey::new(RepoName::parse("acme/widgets")?, 7);
    let run = RunId { issue: 7, run: 1 };
    let path = worktrees.worktree(&issue, 0, run);
    let branch = Branch::new("ralph/issue-7-do-it");
    let base = Branch::new("bot/integration");
    let job =
        Job::Workspace { run, path: path.clone(), branch: branch.clone(), base, leaves: None };
    let start =
        Start { issue: &issue, attempt: Attempt(1), token: 1, job: &job, prompt: "", remarks: &[] };
    adapters.workers.start(&start);
    for report in reports {
        match report {
            Report::Output { line, .. } => println!("{line}"),
            Report::Finished { outcome: Outcome::WorkspaceReady { base, .. }, .. } => {
                let job = Job::Turn(Box::new(turn(run, path.clone(), branch.clone(), base)));
                let attempt = Attempt(2);
                let start = Start {
                    issue: &issue,
                    attempt,
                    token: 1,
                    job: &job,
                    prompt: "Do it",
                    remarks: &[],
                };
                adapters.workers.start(&start);
            }
            Report::Used { .. } | Report::Suspected { .. } => {}
            Report::Finished { outcome, .. } => println!("finished: {outcome:?}"),
        }
    }
    Some(())
}

fn agent(script: String, environment: BTreeMap<OsString, OsString>) -> AgentCommand {
    AgentCommand {
        command: vec!["sh".to_owned(), script],
        stall: StallLimits::default(),
        environment,
        network: NetworkRule::Open,
        limits: Limits::default(),
        program: Program::default(),
        prices: Default::default(),
        accounts: BTreeMap::new(),
    }
}

fn turn(run: RunId, path: ManagedPath, branch: Branch, base: Sha) -> Turn {
    Turn {
        run,
        role: Role::Implement,
        manner: Role::Implement.manner(),
        path,
        branch,
        head: None,
        base,
        session: None,
        is_repair: false,
        earlier: None,
        timeout: Span::from_mins(10),
        title: "Do it".to_owned(),
        body: Digest::of(""),
        plan: None,
        feedback: None,
        findings: Vec::new(),
        stalled: None,
        parent: None,
        merging: None,
        claims_file: String::new(),
        guidance: Default::default(),
        account: None,
        notes: Vec::new(),
        messages: Vec::new(),
    }
}
