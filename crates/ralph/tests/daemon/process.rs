//! The one place that starts programs, and their output while they run and after.

use crate::waiting::{DEADLINE, until, until_within};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A program with nothing of this machine in its environment but where programs are found.
#[expect(clippy::disallowed_methods, reason = "this is the one place where tests start processes")]
pub(crate) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

pub(crate) fn ralph() -> Command {
    program(env!("CARGO_BIN_EXE_ralph"))
}

/// The result of a program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
}

pub(crate) fn run(command: &mut Command) -> Ran {
    Process::start(command).wait()
}

/// A program that runs. It is killed when a test is done with it.
pub(crate) struct Process {
    child: Child,
    stdout: Pipe,
    stderr: Pipe,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("the program starts");
        let stdout = Pipe::of(child.stdout.take().expect("a pipe"));
        let stderr = Pipe::of(child.stderr.take().expect("a pipe"));
        Self { child, stdout, stderr }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The first line on standard output.
    pub(crate) fn first_line(&self) -> String {
        until("a first line", || {
            let said = self.stdout.text();
            said.split_once('\n').map(|(line, _)| line.to_owned())
        })
    }

    /// Waits until this was said on standard error.
    pub(crate) fn hear(&mut self, part: &str) {
        until(part, || {
            let said = self.stderr.text();
            let ended = self.child.try_wait().expect("a status");
            assert!(said.contains(part) || ended.is_none(), "ended without {part}: {said}");
            said.contains(part).then_some(())
        });
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(id, signal).expect("a signal that is delivered");
    }

    /// As the power does it: without a word.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("a process to kill");
        assert_eq!(self.child.wait().expect("a status").signal(), Some(9), "it was alive");
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(self) -> Ran {
        self.signal(Signal::TERM);
        self.wait()
    }

    /// Waits until it ends by itself.
    pub(crate) fn wait(self) -> Ran {
        self.wait_within(DEADLINE)
    }

    pub(crate) fn wait_within(mut self, deadline: Duration) -> Ran {
        let ended = || self.child.try_wait().expect("a status");
        let status: ExitStatus = until_within(deadline, "the end of a program", ended);
        let (stdout, stderr) = (self.stdout.all(), self.stderr.all());
        Ran { stdout, stderr, code: status.code() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("process {} said:\n{}", self.id(), self.stderr.text());
        }
        // One that has ended already needs no killing.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Everything that comes out of a pipe, as it comes.
struct Pipe {
    heard: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Pipe {
    fn of(mut source: impl Read + Send + 'static) -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = heard.clone();
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                kept.lock().expect("a reader").extend_from_slice(&buffer[..count]);
            }
        });
        Self { heard, reader: Some(reader) }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().expect("a reader")).into_owned()
    }

    fn all(&mut self) -> String {
        self.reader.take().map(JoinHandle::join);
        self.text()
    }
}

/// The command lines of all processes that have something to do with a folder: by name, by place or by
/// environment.
pub(crate) fn alive_in(folder: &Path) -> Vec<String> {
    let wanted = folder.to_str().expect("a plain path");
    let about = |path: &Path| {
        let file = |name: &str| {
            let bytes = std::fs::read(path.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).replace('\0', " ")
        };
        let line = file("cmdline");
        let place = std::fs::read_link(path.join("cwd")).unwrap_or_default();
        let known = line.contains(wanted)
            || file("environ").contains(wanted)
            || place.to_string_lossy().contains(wanted);
        // A zombie has no command line.
        (known && !line.is_empty()).then(|| format!("{}: {line}", path.display()))
    };
    let processes = std::fs::read_dir("/proc").expect("a list of processes");
    processes.filter_map(|entry| about(&entry.ok()?.path())).collect()
}
