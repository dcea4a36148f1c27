//! A check as a process: contained, so that nothing of it outlives its end, its limit or the server.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::clean_command;
use crate::clock::Deadline;

/// How long a closed check's last words may take to arrive.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Pieces of output on their way; a check that prints faster than they are taken has to wait.
const PIECES_MAX: usize = 16;

/// How checks are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// In a process namespace of its own that dies with the server, on a file system that it can
    /// only read, by `bwrap`.
    Bubblewrap,
    /// As a process group that a guard ends with the server. What leaves the group escapes.
    ProcessGroup,
}

impl Containment {
    /// The strongest that works here.
    #[must_use]
    pub fn strongest() -> Self {
        let mut trial = clean_command("bwrap");
        trial.args(BWRAP).args(["--", "true"]);
        trial.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let works = trial.status().is_ok_and(|status| status.success());
        if works { Self::Bubblewrap } else { Self::ProcessGroup }
    }
}

const BWRAP: [&str; 13] = [
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
];

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
        hidden: &Path,
    ) -> io::Result<Self> {
        let (output, writer) = io::pipe()?;
        let mut command = match containment {
            Containment::Bubblewrap => bubblewrap(run, room, hidden),
            Containment::ProcessGroup => guarded(run),
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

fn bubblewrap(run: &str, room: &Path, hidden: &Path) -> Command {
    let mut command = clean_command("bwrap");
    command.args(BWRAP).arg("--tmpfs").arg(hidden).arg("--bind").args([room, room]);
    command.arg("--chdir").arg(room.join("work"));
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
mod tests {
    use super::*;

    struct Room(tempfile::TempDir);

    impl Room {
        fn new() -> Self {
            let room = Self(tempfile::tempdir().unwrap());
            for name in ["room/work", "room/home", "room/tmp"] {
                std::fs::create_dir_all(room.0.path().join(name)).unwrap();
            }
            room
        }

        fn start(&self, containment: Containment, run: &str) -> CheckProcess {
            let path = self.0.path();
            CheckProcess::start(containment, run, &path.join("room"), path).unwrap()
        }
    }

    /// Both ways, where both work.
    fn ways() -> impl Iterator<Item = Containment> {
        let strongest = Containment::strongest();
        let weaker = (strongest != Containment::ProcessGroup).then_some(Containment::ProcessGroup);
        [strongest].into_iter().chain(weaker)
    }

    /// Whether a process with this word in its command line is there, waiting a while for its end.
    fn outlives(word: &str) -> bool {
        let is_there = || {
            let entries = std::fs::read_dir("/proc").unwrap();
            let lines = entries.map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")));
            lines.flatten().any(|line| String::from_utf8_lossy(&line).contains(word))
        };
        (0..2_000).all(|_again| is_there())
    }

    #[test]
    fn what_a_check_prints_and_how_it_ends_is_told() {
        for way in ways() {
            let mut log = Vec::new();
            let room = Room::new();
            let process = room.start(way, "echo out; echo err >&2; pwd; exit 7");
            let end = process.wait(Duration::from_secs(60), |piece| log.extend_from_slice(piece));
            assert_eq!(end, CheckEnd::Ended { code: Some(7) }, "{way:?}");
            let log = String::from_utf8(log).unwrap();
            assert!(log.starts_with("out\nerr\n") && log.ends_with("room/work\n"), "{way:?} {log}");
        }
    }

    #[test]
    fn a_limit_ends_the_whole_family() {
        for way in ways() {
            let room = Room::new();
            let process = room.start(way, "sleep 86401 & sleep 86401");
            assert_eq!(process.wait(Duration::from_millis(300), |_| {}), CheckEnd::TimedOut);
            assert!(!outlives("86401"), "{way:?}");
        }
    }

    #[test]
    fn what_is_left_behind_in_the_background_is_ended() {
        for way in ways() {
            let room = Room::new();
            let process = room.start(way, "sleep 86402 & exit 0");
            let end = process.wait(Duration::from_secs(60), |_| {});
            assert_eq!(end, CheckEnd::Ended { code: Some(0) }, "{way:?}");
            assert!(!outlives("86402"), "{way:?}");
        }
    }

    #[test]
    fn a_check_is_ended_from_elsewhere() {
        for way in ways() {
            let room = Room::new();
            let process = room.start(way, "sleep 86403");
            let ending = process.ending();
            let waiting = thread::spawn(move || process.wait(Duration::from_secs(60), |_| {}));
            ending.end();
            assert_eq!(waiting.join().unwrap(), CheckEnd::Stopped, "{way:?}");
            assert!(!outlives("86403"), "{way:?}");
        }
    }

    #[test]
    fn a_guard_ends_its_group_when_the_server_is_gone() {
        let room = Room::new();
        let mut process = room.start(Containment::ProcessGroup, "sleep 86404");
        process.leash = None;
        let end = process.wait(Duration::from_secs(60), |_| {});
        assert_eq!(end, CheckEnd::Ended { code: None });
        assert!(!outlives("86404"));
    }

    #[test]
    fn a_contained_check_writes_only_into_its_room() {
        if Containment::strongest() != Containment::Bubblewrap {
            return;
        }
        let room = Room::new();
        std::fs::write(room.0.path().join("secret"), "s").unwrap();
        let secret = room.0.path().join("secret");
        let run = format!(
            "test ! -e {0} && ! touch /usr/x 2>&1 && touch in && echo good",
            secret.display()
        );
        let mut log = Vec::new();
        let process = room.start(Containment::Bubblewrap, &run);
        process.wait(Duration::from_secs(60), |piece| log.extend_from_slice(piece));
        assert!(String::from_utf8_lossy(&log).ends_with("good\n"));
        assert!(room.0.path().join("room/work/in").exists());
    }
}
