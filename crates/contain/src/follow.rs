//! The wait for a process: its output, its limits and the request to end it, all in one thread.

use crate::{Ending, Moment, Process, Switch};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Pid;
use std::io::{self, PipeReader, Read as _};
use std::time::Duration;

/// Bytes taken from a pipe at once: the size of a pipe on Linux.
const CHUNK_BYTES: usize = 65_536;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Output,
    Error,
}

/// The limits of a process, and the ways in which its end is asked for.
#[expect(missing_debug_implementations, reason = "a monitor has no such form")]
pub struct Watch<'a> {
    /// Of the whole process.
    pub time: Duration,
    /// Flipped when the process has to end.
    pub switch: &'a Switch,
    pub monitor: Option<&'a mut dyn Monitor>,
}

/// A judge of a process that runs, by its output and by what it uses.
pub trait Monitor {
    fn hear(&mut self, bytes: &[u8]);
    /// Time until the next look.
    fn left(&self) -> Duration;
    /// Looks, if it is time to, at the process and everything below it. Returns `false` when the process has to end.
    fn look(&mut self, root: Pid) -> bool;
}

/// The reason of an end that was asked for, and its progress.
struct Asked {
    why: Ending,
    since: Moment,
    is_killed: bool,
}

impl Process {
    /// Waits for the end of the process, which is when no process holds its output, and passes its output on. Ends it
    /// when a limit is reached, and kills it when it does not end in time.
    pub fn follow(
        mut self,
        watch: &mut Watch<'_>,
        take: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<Ending> {
        // A standard input that was not taken has no writer.
        self.stdin = None;
        let (started, mut asked) = (Moment::now(), None::<Asked>);
        let mut chunk = vec![0; CHUNK_BYTES];
        while self.stdout.is_some() || self.stderr.is_some() {
            self.pause(watch, started, asked.as_ref())?;
            let mut on = |stream: Stream, bytes: &[u8]| {
                if let Some(monitor) = &mut watch.monitor {
                    monitor.hear(bytes);
                }
                take(stream, bytes);
            };
            read_ready(&mut self.stdout, &mut chunk, &mut |bytes| on(Stream::Output, bytes));
            read_ready(&mut self.stderr, &mut chunk, &mut |bytes| on(Stream::Error, bytes));
            match &mut asked {
                None => {
                    let why = reason_to_end(watch, started, self.id());
                    asked = why.map(|why| Asked { why, since: Moment::now(), is_killed: false });
                    if asked.is_some() {
                        self.end();
                    }
                }
                Some(Asked { since, .. }) if since.elapsed() < self.patience => {}
                Some(Asked { is_killed: true, .. }) => break,
                Some(Asked { since, is_killed, .. }) => {
                    (*since, *is_killed) = (Moment::now(), true);
                    self.kill();
                }
            }
        }
        let ending = self.wait()?;
        Ok(asked.map_or(ending, |asked| asked.why))
    }

    /// Waits until there is output, the switch is flipped, or the next limit is reached.
    fn pause(&self, watch: &Watch<'_>, started: Moment, asked: Option<&Asked>) -> io::Result<()> {
        let mut descriptors = Vec::with_capacity(3);
        let pipes = [&self.stdout, &self.stderr].into_iter().flatten();
        descriptors.extend(pipes.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let left = match asked {
            Some(asked) => asked.since.left_of(self.patience),
            None => {
                descriptors.push(PollFd::new(watch.switch, PollFlags::IN));
                let whole = started.left_of(watch.time);
                watch.monitor.as_ref().map_or(whole, |monitor| whole.min(monitor.left()))
            }
        };
        match poll(&mut descriptors, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn reason_to_end(watch: &mut Watch<'_>, started: Moment, root: Pid) -> Option<Ending> {
    if watch.switch.is_flipped() {
        Some(Ending::Ended)
    } else if started.elapsed() >= watch.time {
        Some(Ending::TimedOut)
    } else {
        (!watch.monitor.as_mut()?.look(root)).then_some(Ending::Halted)
    }
}

/// Reads once if there is something to read. A closed pipe becomes `None`.
fn read_ready(from: &mut Option<PipeReader>, chunk: &mut [u8], take: &mut dyn FnMut(&[u8])) {
    let Some(reader) = from else { return };
    let mut descriptors = [PollFd::new(reader, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if !matches!(poll(&mut descriptors, Some(&now)), Ok(ready) if ready > 0) {
        return;
    }
    match reader.read(chunk) {
        Ok(0) => *from = None,
        Ok(count) => take(chunk.get(..count).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(_) => *from = None,
    }
}
