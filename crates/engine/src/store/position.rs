//! The number of the last journal entry, noted in the lock file beside the database. A database that ends before it is
//! an old copy, or has lost its last entries.

use super::{Doing as _, Store, StoreError, journal};
use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// Digits of the note, so that a shorter number overwrites a longer one completely.
const DIGITS: usize = 20;

/// The number that the last writer noted, if any.
pub(super) fn noted(lock: &File) -> Option<u64> {
    let mut note = [0; DIGITS];
    lock.read_exact_at(&mut note, 0).ok()?;
    std::str::from_utf8(&note).ok()?.parse().ok()
}

impl Store {
    /// True if entries that the last writer here wrote are missing.
    #[must_use]
    pub const fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Notes the number of the last journal entry. A failed write matters only if an old copy is put back.
    pub(super) fn note_end(&mut self) -> Result<(), StoreError> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let end = journal::end(&self.connection).doing("reading the end of the journal")?;
        if end != self.end {
            drop(lock.write_all_at(format!("{end:0DIGITS$}").as_bytes(), 0));
            self.end = end;
        }
        Ok(())
    }
}
