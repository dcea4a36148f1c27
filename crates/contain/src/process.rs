//! The only place of this package that starts processes, and the handle to one that runs.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this package that starts processes"
)]

use crate::process_tree::{signal_below, signal_group};
use crate::{Input, Overrun, Spec, Stderr, lifeline};
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, Signal};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Exit codes above this are signals, as in a shell.
const SIGNAL_CODE_BASE: i32 = 128;
/// The signal to a process that writes beyond the largest size of a file.
const FILE_TOO_LARGE: i32 = 25;
/// The longest time that a process without a guard takes to end once it is asked to.
const BARE_PATIENCE: Duration = Duration::from_secs(5);
/// The room for output that is not read yet, in bytes: the most that a user gets without asking. Some programs of Node lose
/// at their end what the pipe does not hold.
const PIPE_BYTES: usize = 1_048_576;
/// A process that starts others faster than this many passes kill them is left to the end of its sandbox.
const KILL_PASSES_MAX: u32 = 100;

/// A process that runs, with everything below it. Dropping it ends a process that has a guard, and does not wait.
#[derive(Debug)]
pub struct Process {
    /// For [`Input::Piped`]. Dropping it closes the standard input of the process.
    pub stdin: Option<PipeWriter>,
    pub stdout: Option<PipeReader>,
    /// `None` for [`Stderr::WithStdout`].
    pub stderr: Option<PipeReader>,
    pub(crate) patience: Duration,
    child: Child,
    /// `None` for a process without a guard, and once the end is asked for.
    lifeline: Option<OwnedFd>,
    is_guarded: bool,
}

/// The way in which a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Exited(i32),
    Signalled(i32),
    /// The time limit is over.
    TimedOut,
    /// The [`Monitor`](crate::Monitor) asked for the end.
    Halted,
    /// The [`Switch`](crate::Switch) was flipped.
    Ended,
    /// The processes used more than their [`Limits`](crate::Limits) allow.
    OverLimit(Overrun),
}

/// A process that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    #[error("cannot start {program}")]
    Program { program: String, source: io::Error },
    #[error("there is no sandbox on this machine")]
    Refused,
}

impl NotStarted {
    /// Tells whether there is no such program.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Program { source, .. } => source.kind() == io::ErrorKind::NotFound,
            Self::Refused => false,
        }
    }
}

/// Makes room for output. A kernel that grants no more keeps the usual size, which is enough for most.
fn widen(pipe: &PipeWriter) {
    drop(fcntl_setpipe_size(pipe, PIPE_BYTES).map_err(io::Error::from));
}

impl Spec {
    /// Starts the process without a guard and without a sandbox, for programs of our own that end in a moment.
    pub fn start_bare(&self) -> Result<Process, NotStarted> {
        self.naming(|| {
            let (input, stdin) = self.open_input()?;
            self.spawn(input, stdin)
        })
    }

    fn naming(&self, start: impl FnOnce() -> io::Result<Process>) -> Result<Process, NotStarted> {
        let program = || self.program.to_string_lossy().into_owned();
        start().map_err(|source| NotStarted::Program { program: program(), source })
    }

    /// Gives what the process reads, and the end that this side writes to.
    fn open_input(&self) -> io::Result<(OwnedFd, Option<PipeWriter>)> {
        Ok(match &self.input {
            Input::Null => (File::open("/dev/null")?.into(), None),
            Input::File(path) => (File::open(path)?.into(), None),
            Input::Piped => {
                let (reader, writer) = io::pipe()?;
                (reader.into(), Some(writer))
            }
        })
    }

    fn spawn(&self, input: OwnedFd, stdin: Option<PipeWriter>) -> io::Result<Process> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.directory).process_group(0);
        command.env_clear().envs(&self.environment).stdin(Stdio::from(input));
        let (stdout, output) = io::pipe()?;
        widen(&output);
        let stderr = match self.stderr {
            Stderr::WithStdout => {
                command.stderr(output.try_clone()?);
                None
            }
            Stderr::Piped => {
                let (stderr, errors) = io::pipe()?;
                command.stderr(errors);
                Some(stderr)
            }
        };
        let child = command.stdout(output).spawn()?;
        // The command holds the other ends of the pipes until it is dropped, which is now.
        drop(command);
        Ok(Process {
            stdin,
            stdout: Some(stdout),
            stderr,
            patience: BARE_PATIENCE,
            child,
            lifeline: None,
            is_guarded: false,
        })
    }
}

/// Starts a guard. The input of `spec` becomes that of the guard's command.
pub(crate) fn spawn_guard(spec: &Spec, patience: Duration) -> Result<Process, NotStarted> {
    spec.naming(|| {
        let (input, stdin) = spec.open_input()?;
        let (lifeline, guard) = lifeline::connect(&input)?;
        let process = spec.spawn(guard, stdin)?;
        Ok(Process { patience, lifeline: Some(lifeline), is_guarded: true, ..process })
    })
}

/// Starts the command of a guard: it writes to the guard's own output, and leads its own process group.
pub(crate) fn spawn_guarded(
    program: &OsStr,
    arguments: &[OsString],
    input: OwnedFd,
) -> io::Result<Pid> {
    let mut command = Command::new(program);
    command.args(arguments).process_group(0).stdin(Stdio::from(input));
    command.spawn().map(|child| Pid::from_child(&child))
}

/// The command of a relay.
pub(crate) enum Relayed {
    Started(Child),
    NotStarted(io::Error),
}

/// Starts the command of a relay with the relay's own streams and variables, and some more.
pub(crate) fn spawn_relayed(
    program: &OsStr,
    arguments: &[OsString],
    variables: &[(&'static str, OsString)],
) -> Relayed {
    let mut command = Command::new(program);
    command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
    match command.spawn() {
        Ok(child) => Relayed::Started(child),
        Err(error) => Relayed::NotStarted(error),
    }
}

/// Waits for the command of a relay. Gives its exit code, or 128 plus the signal.
pub(crate) fn wait_relayed(mut child: Child) -> io::Result<u8> {
    let status = child.wait()?;
    let code = status.code().or_else(|| status.signal().map(|it| it + SIGNAL_CODE_BASE));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

impl Process {
    /// The guard, or the process itself where there is none.
    #[must_use]
    pub fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Asks the process to end with everything below it, and returns at once. A guard kills what is still there after the
    /// grace period.
    pub fn end(&mut self) {
        self.lifeline = None;
        if !self.is_guarded {
            signal_group(self.id(), Signal::TERM);
        }
    }

    /// Kills the process with everything below it, even if its guard is stopped.
    pub fn kill(&mut self) {
        // New children may appear while the list of processes is read. Without its guard they would be orphans.
        let mut passes = 0..KILL_PASSES_MAX;
        while passes.next().is_some() && signal_below(self.id(), Signal::KILL, None) {}
        signal_group(self.id(), Signal::KILL);
    }

    /// Closes standard input and waits for the end without a limit. A full pipe of output delays the end:
    /// [`follow`](Self::follow) reads it.
    pub fn wait(mut self) -> io::Result<Ending> {
        self.stdin = None;
        let ending = self.child.wait().map(Ending::of)?;
        let overrun = self.lifeline.as_ref().and_then(Overrun::heard);
        Ok(overrun.map_or(ending, Ending::OverLimit))
    }
}

impl Ending {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) if code > SIGNAL_CODE_BASE => Self::Signalled(code - SIGNAL_CODE_BASE),
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or_default()),
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit status {code}"),
            Self::Signalled(FILE_TOO_LARGE) => {
                f.write_str("killed by signal 25: a file is over the limit of its size")
            }
            Self::Signalled(signal) => write!(f, "killed by signal {signal}"),
            Self::TimedOut => f.write_str("timeout: the time limit is over"),
            Self::Halted => f.write_str("stalled"),
            Self::Ended => f.write_str("ended on request"),
            Self::OverLimit(overrun) => overrun.fmt(f),
        }
    }
}
