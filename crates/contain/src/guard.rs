//! The guard process: it runs one command, adopts the orphans of that command, and does not exit before all of them are
//! gone.

use crate::Limits;
use crate::lifeline::receive_input;
use crate::limits::LOOK;
use crate::process::spawn_guarded;
use crate::process_tree::signal_below;
use crate::relay;
use rustix::event::{Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, set_child_subreaper, wait};
use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

/// The exit code of a shell for a command that it cannot start.
pub(crate) const NOT_STARTED: u8 = 127;
/// The guard was called with wrong arguments or cannot do its work.
pub(crate) const UNFIT: u8 = 125;
const SIGNAL_CODE_BASE: i32 = 128;
/// The first descriptor beyond the standard streams.
const FIRST_DESCRIPTOR: i32 = 3;
/// Between two kills: new children may appear while the list of processes is read.
const KILL_AGAIN: Duration = Duration::from_millis(5);
/// The first of these pauses after the command has ended: what is left of its sandbox is gone in a moment, and every
/// start waits for it. Each pause is twice as long as the one before.
const KILL_AGAIN_FIRST: Duration = Duration::from_micros(200);

struct Order {
    grace: Duration,
    /// The command is Bubblewrap: its first process gets no SIGTERM, because it would end the others before their grace
    /// period is over.
    is_sandboxed: bool,
    limits: Limits,
    program: OsString,
    arguments: Vec<OsString>,
}

/// Runs the guard, or the relay inside of its sandbox. The arguments are those after the hidden
/// subcommand. The exit code is that of the command, or 128 plus the signal.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter().peekable();
    if arguments.next_if(|word| word == relay::WORD).is_some() {
        return relay::main(arguments);
    }
    match Order::parse(arguments) {
        Some(order) => order.run(),
        None => complain(UNFIT, "the guard was called without a command", None),
    }
}

impl Order {
    fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut grace, mut is_sandboxed) = (Duration::ZERO, false);
        let mut limits = Limits::default();
        loop {
            match words.next()?.to_str()? {
                "--grace-ms" => {
                    grace = Duration::from_millis(words.next()?.to_str()?.parse().ok()?);
                }
                "--sandboxed" => is_sandboxed = true,
                "--" => break,
                name => limits.take(name, words.next()?.to_str()?)?,
            }
        }
        let program = words.next()?;
        Some(Self { grace, is_sandboxed, limits, program, arguments: words.collect() })
    }

    fn run(self) -> ExitCode {
        // A shell or a service manager may have left descriptors to Ralph that would reach the command through here.
        close_fds::set_fds_cloexec(FIRST_DESCRIPTOR, &[]);
        if let Err(error) = set_child_subreaper(Some(getpid())) {
            return complain(UNFIT, "cannot adopt orphans", Some(error.into()));
        }
        if let Err(error) = self.limits.set() {
            return complain(UNFIT, "cannot set limits", Some(error.into()));
        }
        let input = match receive_input(io::stdin()) {
            Ok(input) => input,
            Err(error) => return complain(UNFIT, "cannot read from the lifeline", Some(error)),
        };
        // The command is started from the main thread: Bubblewrap dies with the thread that started it, and this one
        // lives as long as the guard.
        let child = match spawn_guarded(&self.program, &self.arguments, input) {
            Ok(child) => child,
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
        let watched = self.limits.is_watched().then_some(self.limits);
        let watcher =
            watched.map(|limits| std::thread::Builder::new().spawn(move || watch(limits)));
        if let Some(Err(error)) = watcher {
            signal_below(getpid(), Signal::KILL, None);
            return complain(UNFIT, "cannot watch the limits", Some(error));
        }
        let code = wait_for(child);
        end_rest();
        ExitCode::from(code)
    }
}

/// Ends everything once the lifeline closes. The starter writes nothing more on it, so any end of the read will do.
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

/// Looks at what the processes use, and kills them all at a limit, after it has told the starter.
fn watch(limits: Limits) {
    loop {
        pause(LOOK);
        let Some(overrun) = limits.look() else { continue };
        overrun.report(io::stdin());
        loop {
            signal_below(getpid(), Signal::KILL, None);
            pause(KILL_AGAIN);
        }
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

/// Ends the processes that the command left behind. None is left once this process has no child, because it adopts
/// orphans.
fn end_rest() {
    let mut again = KILL_AGAIN_FIRST;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => {
                // A sandbox that is about to be gone needs no look at all processes of the machine.
                if again > KILL_AGAIN_FIRST {
                    signal_below(getpid(), Signal::KILL, None);
                }
                pause(again);
                again = (again * 2).min(KILL_AGAIN);
            }
            Err(_) => return,
        }
    }
}

pub(crate) fn code_of(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| SIGNAL_CODE_BASE + signal);
    let code = status.exit_status().or(signal).unwrap_or(i32::from(UNFIT));
    u8::try_from(code).unwrap_or(UNFIT)
}

/// Waits without a limit other than the time.
fn pause(time: Duration) {
    let Ok(time) = Timespec::try_from(time) else { return };
    match poll(&mut [], Some(&time)) {
        Ok(_) | Err(_) => {}
    }
}

pub(crate) fn complain(code: u8, what: &str, why: Option<io::Error>) -> ExitCode {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    drop(writeln!(io::stderr(), "ralph guard: {what}{why}"));
    ExitCode::from(code)
}
