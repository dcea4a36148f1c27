//! The state store: the only place that knows SQL. It is not a trait; a database in memory is its test double.

mod identity;
mod inbox;
mod inspect;
mod journal;
mod lease;
mod migrate;
mod outbox;
mod outcomes;
mod position;
mod query;
mod requests;
mod rows;
mod seal;
mod tamper;
mod texts;
mod transaction;

pub use inbox::{Drain, PostError, post_command, post_drain, post_resume};
pub use inspect::advice as advice_on_damage;
pub use journal::JournalEntry;
pub use lease::{LEASE_TTL, LeaseHeld, TakeError, Takeover, WriterProof};
pub use migrate::{OpenError, VERSION};
pub use outbox::Row;
pub use query::{
    AccountReport, GateReport, GateView, Hold, HoldState, InboxReport, IssueReport, Link,
    MessageReport, OutboxReport, Outcome, Reader, RepoReport, RepoUsage, Report, RoleUsage,
    RunRecord, RunReport, StatusReport, StepReport, StoryLine, UsageReport, WorkReport,
    WriterReport,
};

pub(crate) use inbox::{Posted, take as inbox_take};
pub(crate) use journal::append as journal_append;
pub(crate) use lease::{claim as lease_claim, release as lease_release, verify as lease_verify};
pub(crate) use outbox::{RowState, write as outbox_write};
pub use outcomes::Answer;
pub(crate) use outcomes::put as put_outcome;
pub(crate) use requests::write as request_write;
pub(crate) use rows::{put_blob, put_cursor, put_issue, put_repo, put_verdict};
pub(crate) use transaction::Transaction;

use rusqlite::Connection;
use std::fs::File;
use std::path::{Path, PathBuf};

/// An open database, migrated to this version.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    /// Held while the store is open. The system releases it however the process ends.
    lock: Option<File>,
    path: Option<PathBuf>,
    /// The number of the last journal entry.
    end: u64,
    is_behind: bool,
}

/// A statement failed, or a row could not be read back.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the state store failed while {doing}")]
    Sql { doing: &'static str, source: rusqlite::Error },
    #[error("the state store holds a {what} of {subject} that cannot be read")]
    Row { what: &'static str, subject: String, source: serde_json::Error },
    #[error(
        "the state store is damaged: {what} does not match its digest. Stop the daemon and run `ralph doctor`, \
         which says what there is to go on with."
    )]
    Damaged { what: String },
    #[error(
        "another Ralph has taken over this state store (its token is {theirs}, ours is {ours}); \
         this one stops writing"
    )]
    Fenced { ours: u64, theirs: u64 },
}

pub(crate) trait Doing<T> {
    fn doing(self, doing: &'static str) -> Result<T, StoreError>;
}

impl<T> Doing<T> for rusqlite::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Sql { doing, source })
    }
}

impl Store {
    /// Opens or creates the database at `path`, for one writer. An older one is backed up and migrated.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let lock = migrate::lock(path)?;
        let connection = migrate::open(path)?;
        let end = journal::end(&connection).map_err(|source| {
            let (path, doing) = (path.to_owned(), "read");
            OpenError::Sql { path, doing, source }
        })?;
        let is_behind = position::noted(&lock).is_some_and(|noted| noted > end);
        Ok(Self { connection, lock: Some(lock), path: Some(path.to_owned()), end, is_behind })
    }

    /// A database in memory, for tests and simulation.
    pub fn in_memory() -> Result<Self, OpenError> {
        let connection = migrate::open_in_memory()?;
        Ok(Self { connection, lock: None, path: None, end: 0, is_behind: false })
    }

    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Writes a copy of the whole database to a new file.
    pub fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        migrate::copy(&self.connection, path).doing("copying the database")
    }

    /// Runs a function in one transaction: all of it is kept, or nothing.
    pub(crate) fn transact<T>(
        &mut self,
        turn: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let tx = Transaction::begin(&mut self.connection).doing("beginning a transaction")?;
        let done = turn(&tx)?;
        tx.commit().doing("committing a turn")?;
        self.note_end()?;
        Ok(done)
    }
}
