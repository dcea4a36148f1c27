//! Waiting for a process: its output, its limits, and the wish to end it, all in one place and one thread.

use super::{Ending, Stream};
use crate::process_tree::signal_group;
use crate::switch::Switch;
use crate::wall_clock::Moment;
use crate::watchdog::{Judgement, StallLimits, Watchdog};
use ralph_core::stall::Suspicion;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal};
use std::io::{self, Read};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus};
use std::time::Duration;

/// Bytes taken from a pipe at once: what a pipe holds on Linux.
const CHUNK_BYTES: usize = 65_536;
/// Signals are told apart from exit codes the way shells do.
const SIGNAL_CODE_BASE: i32 = 128;

/// What a process may use up before it is ended.
pub(crate) struct Watch<'a> {
    pub(crate) whole: Duration,
    /// For an agent's turn, which may stall.
    pub(crate) turn: Option<WatchedTurn<'a>>,
    pub(crate) switch: &'a Switch,
    /// How long a process that was asked to end may take before it is killed.
    pub(crate) patience: Duration,
}

/// A turn whose getting on is watched.
pub(crate) struct WatchedTurn<'a> {
    pub(crate) limits: StallLimits,
    pub(crate) worktree: &'a Path,
    /// Hears of a stall that may be about to happen, and when it is over.
    pub(crate) tell: &'a dyn Fn(Option<Suspicion>),
}

/// Waits for the end of a process, which is when nobody holds its output any more.
pub(super) fn follow(
    mut child: Child,
    watch: &Watch<'_>,
    take: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Ending> {
    let mut waiting = Waiting {
        output: child.stdout.take(),
        error: child.stderr.take(),
        pid: Pid::from_child(&child),
        started: Moment::now(),
        dog: watch.turn.as_ref().map(|turn| Watchdog::new(turn.limits, turn.worktree)),
        asked: None,
    };
    let mut chunk = vec![0; CHUNK_BYTES];
    while waiting.output.is_some() || waiting.error.is_some() {
        waiting.wait(watch)?;
        waiting.read(&mut chunk, take);
        if let Some(why) = waiting.check_end(watch) {
            waiting.asked = Some((why, Moment::now(), Signal::TERM));
            // Closing the lifeline is how a guard is asked; anything else is asked by its group.
            if child.stdin.take().is_none() {
                signal_group(waiting.pid, Signal::TERM);
            }
        }
        if !waiting.press_on(watch) {
            break;
        }
    }
    let status = child.wait()?;
    Ok(waiting.asked.map_or_else(|| ending_of(status), |(why, ..)| why))
}

struct Waiting<'a> {
    output: Option<ChildStdout>,
    error: Option<ChildStderr>,
    pid: Pid,
    started: Moment,
    dog: Option<Watchdog<'a>>,
    /// Why and when the end was asked for, and with what signal last.
    asked: Option<(Ending, Moment, Signal)>,
}

impl Waiting<'_> {
    /// Until something can be read, the switch is flipped, or the next limit is reached.
    fn wait(&self, watch: &Watch<'_>) -> io::Result<()> {
        let mut fds = Vec::with_capacity(3);
        fds.extend(self.output.as_ref().map(|output| PollFd::new(output, PollFlags::IN)));
        fds.extend(self.error.as_ref().map(|error| PollFd::new(error, PollFlags::IN)));
        let left = match &self.asked {
            Some((_, since, _)) => since.left_of(watch.patience),
            None => {
                fds.push(PollFd::from_borrowed_fd(watch.switch.as_fd(), PollFlags::IN));
                let whole = self.started.left_of(watch.whole);
                self.dog.as_ref().map_or(whole, |dog| whole.min(dog.left()))
            }
        };
        match poll(&mut fds, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn read(&mut self, chunk: &mut [u8], take: &mut dyn FnMut(Stream, &[u8])) {
        let dog = &mut self.dog;
        let mut on = |stream: Stream, bytes: &[u8]| {
            if let Some(dog) = dog {
                dog.hear(bytes);
            }
            take(stream, bytes);
        };
        read_ready(&mut self.output, chunk, &mut |bytes| on(Stream::Output, bytes));
        read_ready(&mut self.error, chunk, &mut |bytes| on(Stream::Error, bytes));
    }

    /// Why the process is to be ended now, asked for the first time.
    fn check_end(&mut self, watch: &Watch<'_>) -> Option<Ending> {
        if self.asked.is_some() {
            None
        } else if watch.switch.is_flipped() {
            Some(Ending::Ended)
        } else if self.started.elapsed() >= watch.whole {
            Some(Ending::TimedOut)
        } else {
            match self.dog.as_mut()?.judge(self.pid) {
                Judgement::Fine => None,
                Judgement::Stalled(stall) => Some(Ending::Stalled(stall)),
                Judgement::Suspicious(suspicion) => {
                    if let Some(turn) = &watch.turn {
                        (turn.tell)(suspicion);
                    }
                    None
                }
            }
        }
    }

    /// Kills what does not end when asked; `false` once even that has not helped.
    fn press_on(&mut self, watch: &Watch<'_>) -> bool {
        let Some((_, since, signal)) = &mut self.asked else { return true };
        if since.elapsed() < watch.patience {
            return true;
        }
        let is_first = *signal == Signal::TERM;
        (*since, *signal) = (Moment::now(), Signal::KILL);
        signal_group(self.pid, Signal::KILL);
        is_first
    }
}

/// Reads once if that gives something at once; a closed pipe is let go.
fn read_ready<R: Read + std::os::fd::AsFd>(
    from: &mut Option<R>,
    chunk: &mut [u8],
    take: &mut dyn FnMut(&[u8]),
) {
    let Some(reader) = from else { return };
    let mut fds = [PollFd::new(reader, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if !matches!(poll(&mut fds, Some(&now)), Ok(ready) if ready > 0) {
        return;
    }
    match reader.read(chunk) {
        Ok(0) => *from = None,
        Ok(count) => take(chunk.get(..count).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(_) => *from = None,
    }
}

fn ending_of(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) if code > SIGNAL_CODE_BASE => Ending::Signalled(code - SIGNAL_CODE_BASE),
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or_default()),
    }
}
