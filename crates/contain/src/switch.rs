//! A request to end work that is under way: a pipe whose other end closes, so that a thread that waits for output sees
//! it at once.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub struct Switch {
    reader: PipeReader,
    writer: Mutex<Option<PipeWriter>>,
}

impl Switch {
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self { reader, writer: Mutex::new(Some(writer)) })
    }

    pub fn flip(&self) {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    pub fn is_flipped(&self) -> bool {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl AsFd for Switch {
    /// Becomes ready to read once the switch is flipped, and stays so.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}
