//! A check as a process: contained, so that nothing of it outlives its end, its limit or the server.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{clean_command, sandbox, surroundings};
use crate::clock::Deadline;

/// Why a check is not run, and what would change it.
const NO_SANDBOX: &str = "there is no sandbox for it; install bubblewrap, or start the forge with \
    --unsafe-checks, which lets everyone who may write to a repository run commands as you";

/// How long a closed check's last words may take to arrive.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Pieces of output on their way; a check that prints faster than they are taken has to wait.
const PIECES_MAX: usize = 16;

/// How checks are kept from the machine that they run on. Whoever may write to a repository says
/// which commands these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// By `bwrap`: with processes and messages of its own, seeing only the system's folders and
    /// toolchains, which it cannot change, without rights of a superuser, and without a network unless
    /// it is granted. It dies with the server.
    Bubblewrap { network: bool },
    /// As a process group that a guard ends with the server, with all rights of the server's user.
    /// What leaves the group escapes.
    Unsafe,
    /// Checks are not run, because nothing here would hold them.
    Refused,
}

impl Containment {
    /// A sandbox if one works here, and otherwise what was asked for.
    #[must_use]
    pub fn choose(network: bool, or_unsafe: bool) -> Self {
        let mut trial = clean_command("bwrap");
        trial.args(sandbox::arguments(&surroundings(), None, &[], false)).args(["--", "true"]);
        trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let works = trial.status().is_ok_and(|status| status.success());
        match (works, or_unsafe) {
            (true, _) => Self::Bubblewrap { network },
            (false, true) => Self::Unsafe,
            (false, false) => Self::Refused,
        }
    }
}

/// Runs `$1` and ends the whole group as soon as standard input closes, which it does with the server.
const GUARD: &str = "exec 3<&0 </dev/null\n\
    (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 &\n\
    sh -c \"$1\" 3<&- &\n\
    wait $!";

#[derive(Debug)]
pub(crate) struct CheckProcess {
    child: Child,
    output: PipeReader,
    /// A guard's standard input, held open while the check may run.
    leash: Option<std::process::ChildStdin>,
    ending: Ending,
}

/// A way to end a check from elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// None once the process is over: its number may then mean another.
    group: Arc<Mutex<Option<Pid>>>,
    was_used: Arc<Mutex<bool>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckEnd {
    /// By itself; none when a signal ended it.
    Ended {
        code: Option<i32>,
    },
    TimedOut,
    /// From elsewhere.
    Stopped,
}

enum News {
    Output(Vec<u8>),
    /// Nobody can write any more.
    Closed,
    /// The process is over.
    Over,
}

impl CheckProcess {
    /// Starts a command for the shell in the folder `work` of a room, which has folders `home` and
    /// `tmp` as well. With bubblewrap it dies with the calling thread.
    pub(crate) fn start(
        containment: Containment,
        run: &str,
        room: &Path,
        hidden: &[PathBuf],
    ) -> io::Result<Self> {
        let (output, writer) = io::pipe()?;
        let mut command = match containment {
            Containment::Bubblewrap { network } => bubblewrap(run, room, hidden, network),
            Containment::Unsafe => guarded(run),
            Containment::Refused => return Err(io::Error::other(NO_SANDBOX)),
        };
        let mut child = environment(&mut command, room, writer)?.process_group(0).spawn()?;
        // The command holds the other end of the pipe, and has to let go of it.
        drop(command);
        let leash = child.stdin.take();
        let group = Arc::new(Mutex::new(Some(Pid::from_child(&child))));
        let ending = Ending { group, was_used: Arc::default() };
        Ok(Self { child, output, leash, ending })
    }

    pub(crate) fn ending(&self) -> Ending {
        self.ending.clone()
    }

    /// Waits for its end, handing on what it prints, and ends it when it takes too long.
    pub(crate) fn wait(mut self, limit: Duration, mut each: impl FnMut(&[u8])) -> CheckEnd {
        let (news, inbox) = mpsc::sync_channel(PIECES_MAX);
        let (output, pid) = (self.output, Pid::from_child(&self.child));
        let reader = news.clone();
        thread::spawn(move || read(output, &reader));
        thread::spawn(move || watch(pid, &news));
        let mut deadline = Deadline::after(limit);
        let (mut is_over, mut is_late, mut is_closed) = (false, false, false);
        while !(is_over && is_closed) {
            match inbox.recv_timeout(deadline.left()) {
                Ok(News::Output(piece)) => each(&piece),
                Ok(News::Closed) => is_closed = true,
                Ok(News::Over) => {
                    is_over = true;
                    self.ending.kill();
                    deadline = Deadline::after(LAST_WORDS);
                }
                Err(RecvTimeoutError::Timeout) if is_over => break,
                Err(RecvTimeoutError::Timeout) => {
                    is_late = true;
                    self.ending.kill();
                    deadline = Deadline::after(LAST_WORDS);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.ending.forget();
        drop(self.leash);
        let status = self.child.wait();
        if *lock(&self.ending.was_used) {
            return CheckEnd::Stopped;
        }
        if is_late {
            return CheckEnd::TimedOut;
        }
        CheckEnd::Ended { code: status.ok().and_then(|status| status.code()) }
    }
}

impl Ending {
    /// Ends the check at once, with all that belongs to it.
    pub(crate) fn end(&self) {
        *lock(&self.was_used) = true;
        self.kill();
    }

    fn kill(&self) {
        let group = *lock(&self.group);
        // A group that is gone already is what is wanted.
        if group.is_some_and(|group| kill_process_group(group, Signal::KILL).is_err()) {
            self.forget();
        }
    }

    fn forget(&self) {
        *lock(&self.group) = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bubblewrap(run: &str, room: &Path, hidden: &[PathBuf], network: bool) -> Command {
    let mut command = clean_command("bwrap");
    command.args(sandbox::arguments(&surroundings(), Some(room), hidden, network));
    command.args(["--", "sh", "-c", run]).stdin(Stdio::null());
    command
}

fn guarded(run: &str) -> Command {
    let mut command = clean_command("sh");
    command.args(["-c", GUARD, "sh", run]).stdin(Stdio::piped());
    command
}

fn environment<'a>(
    command: &'a mut Command,
    room: &Path,
    writer: PipeWriter,
) -> io::Result<&'a mut Command> {
    command.env("HOME", room.join("home")).env("TMPDIR", room.join("tmp"));
    command.envs([("LANG", "C.UTF-8"), ("CI", "true")]);
    let errors = writer.try_clone()?;
    Ok(command.current_dir(room.join("work")).stdout(writer).stderr(errors))
}

/// Whoever listens may be gone; then nobody wants to hear it.
fn read(mut output: PipeReader, news: &SyncSender<News>) {
    let mut piece = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = output.read(&mut piece) {
        let read = piece.get(..length).unwrap_or_default().to_vec();
        if news.send(News::Output(read)).is_err() {
            return;
        }
    }
    drop(news.send(News::Closed));
}

/// Leaves the process to be collected later, so that its number stays its own until then.
fn watch(pid: Pid, news: &SyncSender<News>) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(pid), options), Err(rustix::io::Errno::INTR)) {}
    drop(news.send(News::Over));
}

#[cfg(test)]
mod tests;
