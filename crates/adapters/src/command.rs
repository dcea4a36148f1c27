//! The only place of this package that starts processes. A command says everything it depends on: program,
//! arguments, folder, environment, input. Nothing is inherited.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place of this package that starts processes"
)]

mod capture;
mod watching;

pub(crate) use capture::Capture;
pub(crate) use watching::{Watch, WatchedTurn};

use ralph_core::stall::Stall;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A process to start.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: PathBuf,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) input: Input,
}

/// What a process reads from its standard input.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    Nothing,
    File(PathBuf),
    /// A pipe on which nothing is ever written. It closes when the end is wanted, and when this process dies.
    Lifeline,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Error,
}

/// How a process came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Signalled(i32),
    /// The whole time limit is over.
    TimedOut,
    /// It did not get anywhere.
    Stalled(Stall),
    /// Somebody asked for the end.
    Ended,
}

/// A program that could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {program}")]
pub(crate) struct NotStarted {
    program: String,
    #[source]
    source: io::Error,
}

impl NotStarted {
    /// Is there no such program?
    pub(crate) fn is_absent(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

impl Invocation {
    pub(crate) fn new(program: impl AsRef<OsStr>, directory: &Path) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            directory: directory.to_owned(),
            environment: BTreeMap::new(),
            input: Input::Nothing,
        }
    }

    pub(crate) fn arguments<T: AsRef<OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = T>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Starts the process, hands everything it writes to `take` as it comes, and waits for its end.
    pub(crate) fn run(
        &self,
        watch: &Watch<'_>,
        take: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Ending, NotStarted> {
        let not_started = |source| NotStarted { program: self.shown(), source };
        let child = self.spawn().map_err(not_started)?;
        watching::follow(child, watch, take).map_err(not_started)
    }

    fn spawn(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.directory);
        command.env_clear().envs(&self.environment);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.stdin(match &self.input {
            Input::Nothing => Stdio::null(),
            Input::File(path) => File::open(path)?.into(),
            Input::Lifeline => Stdio::piped(),
        });
        command.spawn()
    }

    fn shown(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

/// A child of the guard: it writes to the guard's own output, and is the head of its own process group.
pub(crate) fn spawn_guarded(
    program: &OsStr,
    arguments: &[OsString],
    input: Option<&Path>,
) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command
        .stdin(input.map_or_else(|| Ok(Stdio::null()), |path| File::open(path).map(Into::into))?);
    command.spawn()
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit status {code}"),
            Self::Signalled(signal) => write!(f, "killed by signal {signal}"),
            Self::TimedOut => f.write_str("timeout: the time limit is over"),
            Self::Stalled(_) => f.write_str("stalled"),
            Self::Ended => f.write_str("ended on request"),
        }
    }
}
