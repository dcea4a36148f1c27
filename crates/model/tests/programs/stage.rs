//! A stage for one turn: a repository, a private home and a scripted model, and the agent that runs between them.

use crate::program::{Account, Program, Rights, Started};
use ralph_model::{Answer, Recorded, Script, Server};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The prompt of every turn. The script recognises it.
pub(crate) const PROMPT: &str = "You are the implementer. Write GREETING.txt.";
/// An agent that has not ended by itself within this time is ended. OpenCode tries again with growing pauses for 100 s.
pub(crate) const TURN_LIMIT: Duration = Duration::from_secs(300);

#[derive(Debug)]
pub(crate) struct Stage {
    /// Holds the folders until the end.
    _folder: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) repo: PathBuf,
    pub(crate) server: Server,
    /// The time after which an agent is ended.
    pub(crate) limit: Duration,
}

/// What an agent said, and how it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) out: String,
    pub(crate) err: String,
    /// The exit code, or 128 and the signal.
    pub(crate) code: i32,
    /// It did not end by itself, and was killed.
    pub(crate) was_stopped: bool,
}

impl Stage {
    pub(crate) fn new(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // OpenCode takes a path through a link for another folder.
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, repo) = (root.join("home"), root.join("repo"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&repo).unwrap();
        git(&repo, &home, &["init", "--quiet", "--initial-branch", "main"]);
        fs::write(repo.join("README.md"), "A repository.\n").unwrap();
        git(&repo, &home, &["add", "."]);
        git(&repo, &home, &["commit", "--quiet", "--message", "Begin"]);
        Self {
            _folder: folder,
            home,
            repo,
            server: Server::start(script).unwrap(),
            limit: TURN_LIMIT,
        }
    }

    pub(crate) fn turn(&self) -> Started<'_> {
        Started {
            home: &self.home,
            repo: &self.repo,
            url: self.server.url(),
            prompt: PROMPT,
            session: None,
            rights: Rights::All,
            account: Account::Key,
            model: None,
        }
    }

    /// Runs a turn to its end.
    pub(crate) fn run(&self, program: Program, turn: &Started<'_>) -> Ended {
        self.run_command(program.command(turn))
    }

    pub(crate) fn run_command(&self, command: Command) -> Ended {
        Running::start(command, &self.home).finish(self.limit)
    }

    /// Runs a turn until the model hangs, and then asks the agent to end.
    pub(crate) fn run_and_terminate(&self, program: Program, turn: &Started<'_>) -> Ended {
        let running = Running::start(program.command(turn), &self.home);
        let hangs = |recorded: &Recorded| matches!(recorded.answer, Answer::Failed(_));
        assert!(self.server.wait_for(hangs, TURN_LIMIT), "{program:?} asked for nothing");
        kill_process(running.pid, Signal::TERM).unwrap();
        running.finish(self.limit)
    }
}

/// An agent at work. Its output goes to files: Gemini CLI loses at its end what a pipe does not hold.
struct Running {
    pid: Pid,
    ended: mpsc::Receiver<ExitStatus>,
    out: PathBuf,
    err: PathBuf,
}

impl Running {
    fn start(mut command: Command, home: &Path) -> Self {
        let (out, err) = (home.join("out"), home.join("err"));
        command.stdin(Stdio::null());
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let mut child = command.spawn().unwrap();
        let pid = Pid::from_child(&child);
        let (sender, ended) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait().unwrap()));
        Self { pid, ended, out, err }
    }

    fn finish(self, limit: Duration) -> Ended {
        let in_time = self.ended.recv_timeout(limit);
        let was_stopped = in_time.is_err();
        let status = in_time.unwrap_or_else(|_late| {
            kill_process(self.pid, Signal::KILL).unwrap();
            self.ended.recv().unwrap()
        });
        let read = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        Ended {
            out: read(self.out),
            err: read(self.err),
            code: status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap(),
            was_stopped,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "git prepares the repository")]
fn git(repo: &Path, home: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(repo);
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ralph");
        command.env(format!("GIT_{who}_EMAIL"), "ralph@example.com");
    }
    assert!(command.args(arguments).status().unwrap().success(), "git {arguments:?}");
}
