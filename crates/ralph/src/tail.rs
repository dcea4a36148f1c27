//! Files that others append to, read line by line as they grow.

use crate::wall_clock;
use ralph_core::time::{Span, Time};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Time between two looks at a file: short for a person, long for a machine.
pub(crate) const POLL_INTERVAL: Span = Span(250);
/// Bytes read at once. A line that is longer is given in pieces.
const CHUNK_BYTES: usize = 1 << 20;

/// One file, and how far it was read.
#[derive(Debug)]
pub(crate) struct Tail {
    path: PathBuf,
    position: u64,
}

impl Tail {
    pub(crate) fn of(path: PathBuf) -> Self {
        Self { path, position: 0 }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next complete lines; none when nothing was added. At the end of a file that grows no longer, `is_final`
    /// gives the last line without its end too.
    pub(crate) fn lines(&mut self, is_final: bool) -> io::Result<Vec<String>> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file?,
        };
        // A file that was replaced begins again.
        if file.metadata()?.len() < self.position {
            self.position = 0;
        }
        file.seek(SeekFrom::Start(self.position))?;
        let mut bytes = vec![0; CHUNK_BYTES];
        let mut filled = 0;
        while let Some(room) = bytes.get_mut(filled..).filter(|room| !room.is_empty()) {
            match file.read(room)? {
                0 => break,
                count => filled += count,
            }
        }
        bytes.truncate(filled);
        let complete = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if is_final || filled == CHUNK_BYTES => filled,
            None => 0,
        };
        let complete = if is_final && filled < CHUNK_BYTES { filled } else { complete };
        bytes.truncate(complete);
        self.position += u64::try_from(complete).unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
    }
}

/// Waits for the next look. `false`: the reader of standard output has gone.
pub(crate) fn pause() -> bool {
    let until = wall_clock::now().plus(POLL_INTERVAL);
    while wall_clock::now() < until {
        if !wait(until.since(wall_clock::now())) {
            return false;
        }
    }
    true
}

/// A pipe that is closed at its other end says so without being asked for anything.
fn wait(span: Span) -> bool {
    let out = io::stdout();
    let mut fds = [PollFd::new(&out, PollFlags::empty())];
    let millis = span.as_millis().max(1);
    let limit = Timespec { tv_sec: millis / 1_000, tv_nsec: (millis % 1_000) * 1_000_000 };
    let found = poll(&mut fds, Some(&limit));
    let is_gone = fds.iter().any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP));
    !(is_gone && found.is_ok())
}

/// A time as other programs read it: `2026-01-31T12:00:05.123Z`.
pub(crate) fn stamp(at: Time) -> String {
    let whole = at.to_string().replace(' ', "T");
    let millis = at.0.rem_euclid(1_000);
    format!("{}.{millis:03}Z", whole.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn lines_are_given_once_they_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut tail = Tail::of(path.clone());
        assert_eq!(tail.lines(false).unwrap(), [""; 0]);
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(tail.lines(false).unwrap(), ["one"]);
        assert_eq!(tail.lines(false).unwrap(), [""; 0]);
        file.write_all(b"o\nthree").unwrap();
        assert_eq!(tail.lines(false).unwrap(), ["two"]);
        assert_eq!(tail.lines(true).unwrap(), ["three"]);
        assert_eq!(tail.lines(true).unwrap(), [""; 0]);
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(tail.lines(false).unwrap(), ["new"]);
    }

    #[test]
    fn a_very_long_line_comes_in_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, format!("{}\nend\n", "x".repeat(CHUNK_BYTES + 5))).unwrap();
        let mut tail = Tail::of(path);
        assert_eq!(tail.lines(false).unwrap(), ["x".repeat(CHUNK_BYTES)]);
        assert_eq!(tail.lines(false).unwrap(), ["xxxxx", "end"]);
    }
}
