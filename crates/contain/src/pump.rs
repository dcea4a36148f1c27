//! Bytes between two sockets, in both directions, in one thread and little memory.

use crate::{Moment, Switch};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// Bytes that are under way in one direction.
const BUFFER_BYTES: usize = 32 * 1024;

/// The number of bytes that were passed on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) there: u64,
    pub(crate) back: u64,
}

/// Two sockets that do not block, and the limits of their conversation.
pub(crate) struct Pump<'a> {
    pub(crate) here: BorrowedFd<'a>,
    pub(crate) there: BorrowedFd<'a>,
    /// Ends the conversation when nothing moves for this long.
    pub(crate) idle: Duration,
    /// Ends the conversation when it is flipped.
    pub(crate) stop: Option<&'a Switch>,
}

/// One direction.
struct Flow<'a> {
    from: BorrowedFd<'a>,
    to: BorrowedFd<'a>,
    buffer: Vec<u8>,
    /// The part of the buffer that is not sent yet.
    waiting: std::ops::Range<usize>,
    is_over: bool,
    /// The other side was told that nothing more comes.
    is_closed: bool,
    moved: u64,
}

/// The conversation cannot go on.
struct Broken;

impl Pump<'_> {
    /// Passes bytes on until both sides have said everything, or a limit is reached. `first` was read from `here` before.
    pub(crate) fn run(&self, first: Vec<u8>) -> Moved {
        let mut there = Flow::new(self.here, self.there, first);
        let mut back = Flow::new(self.there, self.here, Vec::new());
        while !(there.is_closed && back.is_closed) {
            let is_ready = self.wait(&[&there, &back]);
            if !is_ready || there.step().is_err() || back.step().is_err() {
                break;
            }
        }
        Moved { there: there.moved, back: back.moved }
    }

    /// Waits until something can move. Returns `false` at a limit.
    fn wait(&self, flows: &[&Flow<'_>; 2]) -> bool {
        let wanted = flows.iter().filter_map(|flow| flow.wanted());
        let mut descriptors: Vec<_> =
            wanted.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags)).collect();
        if let Some(stop) = self.stop {
            descriptors.push(PollFd::new(stop, PollFlags::IN));
        }
        match wait_for(&mut descriptors, self.idle) {
            Ok(ready) => ready && !self.stop.is_some_and(Switch::is_flipped),
            Err(_) => false,
        }
    }
}

impl<'a> Flow<'a> {
    fn new(from: BorrowedFd<'a>, to: BorrowedFd<'a>, first: Vec<u8>) -> Self {
        let waiting = 0..first.len();
        Self { from, to, buffer: first, waiting, is_over: false, is_closed: false, moved: 0 }
    }

    /// The event that this direction waits for. Its descriptor is not watched otherwise, because a side that hung up is
    /// always ready.
    fn wanted(&self) -> Option<(BorrowedFd<'a>, PollFlags)> {
        match (self.waiting.is_empty(), self.is_closed) {
            (false, _) => Some((self.to, PollFlags::OUT)),
            (true, false) => Some((self.from, PollFlags::IN)),
            (true, true) => None,
        }
    }

    /// Moves what can be moved at once.
    fn step(&mut self) -> Result<(), Broken> {
        if self.waiting.is_empty() && !self.is_over {
            self.fill()?;
        }
        if !self.waiting.is_empty() {
            self.flush()?;
        }
        if self.waiting.is_empty() && self.is_over && !self.is_closed {
            self.is_closed = true;
            match shutdown(self.to, Shutdown::Write) {
                // The other side may be gone already.
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<(), Broken> {
        self.buffer.resize(BUFFER_BYTES, 0);
        match recv(self.from, self.buffer.as_mut_slice(), RecvFlags::empty()) {
            Ok((0, _)) => self.is_over = true,
            Ok((count, _)) => self.waiting = 0..count,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return Err(Broken),
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Broken> {
        let bytes = self.buffer.get(self.waiting.clone()).unwrap_or_default();
        match send(self.to, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => {
                self.waiting.start += count;
                self.moved += count as u64;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return Err(Broken),
        }
        Ok(())
    }
}

/// Waits until one of the descriptors is ready. Returns `false` when the time is over.
pub(crate) fn wait_for(descriptors: &mut [PollFd<'_>], time: Duration) -> Result<bool, Errno> {
    let began = Moment::now();
    loop {
        let left = Timespec::try_from(began.left_of(time)).ok();
        match poll(descriptors, left.as_ref()) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Waits until there is something to read, or the switch is flipped. Returns `false` when the time is over.
pub(crate) fn wait_to_read(from: impl AsFd, stop: Option<&Switch>, time: Duration) -> bool {
    let from = from.as_fd();
    let mut descriptors = vec![PollFd::from_borrowed_fd(from, PollFlags::IN)];
    descriptors.extend(stop.map(|stop| PollFd::new(stop, PollFlags::IN)));
    wait_for(&mut descriptors, time).unwrap_or_default()
}
