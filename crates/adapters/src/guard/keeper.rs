//! The guard process itself: it runs one command, adopts what the command leaves behind, and does not exit
//! before all of it is gone.

use crate::command::spawn_guarded;
use crate::process_tree::signal_below;
use rustix::event::{Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, set_child_subreaper, wait};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// What a shell says of a command it cannot start.
const NOT_STARTED: u8 = 127;
/// The guard itself was called wrongly or cannot do its work.
const UNFIT: u8 = 125;
const SIGNAL_CODE_BASE: i32 = 128;
/// Between two kills of what is still there: new children may appear while the list is read.
const KILL_AGAIN: Duration = Duration::from_millis(5);

struct Order {
    grace: Duration,
    input: Option<PathBuf>,
    /// The command is Bubblewrap: its first process must not be asked to end, because then it would take the
    /// others along before they had their time.
    is_sandboxed: bool,
    program: OsString,
    arguments: Vec<OsString>,
}

/// Runs the guard. The arguments are those after the hidden subcommand. Its exit code is that of the command,
/// or 128 and the signal.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Order::parse(arguments.into_iter()) {
        Some(order) => order.carry_out(),
        None => complain(UNFIT, "the guard was called without a command", None),
    }
}

impl Order {
    fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut grace, mut input, mut is_sandboxed) = (Duration::ZERO, None, false);
        loop {
            match words.next()?.to_str()? {
                "--grace-ms" => {
                    grace = Duration::from_millis(words.next()?.to_str()?.parse().ok()?);
                }
                "--input" => input = Some(words.next()?.into()),
                "--sandboxed" => is_sandboxed = true,
                "--" => break,
                _other => return None,
            }
        }
        let program = words.next()?;
        Some(Self { grace, input, is_sandboxed, program, arguments: words.collect() })
    }

    fn carry_out(self) -> ExitCode {
        if let Err(error) = set_child_subreaper(Some(getpid())) {
            return complain(UNFIT, "cannot adopt orphans", Some(error.into()));
        }
        // The command is started from the main thread: Bubblewrap dies with the thread that started it, and
        // this one lives as long as the guard.
        let child = match spawn_guarded(&self.program, &self.arguments, self.input.as_deref()) {
            Ok(child) => Pid::from_child(&child),
            Err(error) => {
                let what = format!("cannot start {}", self.program.display());
                return complain(NOT_STARTED, &what, Some(error));
            }
        };
        let spared = self.is_sandboxed.then_some(child);
        let watcher = std::thread::Builder::new();
        if let Err(error) = watcher.spawn(move || end_with_lifeline(self.grace, spared)) {
            signal_below(getpid(), Signal::KILL, None);
            return complain(UNFIT, "cannot watch the lifeline", Some(error));
        }
        let code = wait_for(child);
        end_rest();
        ExitCode::from(code)
    }
}

/// Whatever ends this read means the end: the other side never writes.
fn end_with_lifeline(grace: Duration, spared: Option<Pid>) {
    let mut byte = [0];
    while io::stdin().read_exact(&mut byte).is_ok() {}
    signal_below(getpid(), Signal::TERM, spared);
    pause(grace);
    loop {
        signal_below(getpid(), Signal::KILL, None);
        pause(KILL_AGAIN);
    }
}

/// Waits for the command and for orphans that end before it.
fn wait_for(child: Pid) -> u8 {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return code_of(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return UNFIT,
        }
    }
}

/// The command is over, so nothing it left behind has a reason to go on.
fn end_rest() {
    loop {
        signal_below(getpid(), Signal::KILL, None);
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => pause(KILL_AGAIN),
            Err(_) => return,
        }
    }
}

fn code_of(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| SIGNAL_CODE_BASE + signal);
    let code = status.exit_status().or(signal).unwrap_or(i32::from(UNFIT));
    u8::try_from(code).unwrap_or(UNFIT)
}

/// A wait that nothing cuts short but the end of the process.
fn pause(time: Duration) {
    let Ok(time) = Timespec::try_from(time) else { return };
    match poll(&mut [], Some(&time)) {
        Ok(_) | Err(_) => {}
    }
}

fn complain(code: u8, what: &str, why: Option<io::Error>) -> ExitCode {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    drop(writeln!(io::stderr(), "ralph guard: {what}{why}"));
    ExitCode::from(code)
}
