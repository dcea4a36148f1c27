//! Answers to commands given on this machine.

use super::Reader;
use crate::store::{Doing as _, StoreError};
use ralph_core::time::Time;
use rusqlite::OptionalExtension as _;
use serde::Serialize;

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Its number in the inbox.
    pub id: i64,
    pub at: Time,
    pub issue: String,
    pub command: String,
    /// Why it was not obeyed.
    pub refused: Option<String>,
}

impl Reader {
    /// The answer to a command, by its number in the inbox; `None` while it is not answered.
    pub fn outcome(&self, id: i64) -> Result<Option<Outcome>, StoreError> {
        let read = "SELECT id, at, issue, command, refused FROM outcome WHERE id = ?1";
        self.connection.query_row(read, [id], outcome).optional().doing("reading an outcome")
    }

    /// Commands that were refused within the last day, the latest first.
    pub(super) fn refused(&self) -> Result<Vec<Outcome>, StoreError> {
        let read = "SELECT id, at, issue, command, refused FROM outcome
                    WHERE refused IS NOT NULL ORDER BY id DESC";
        let mut read = self.connection.prepare(read).doing("preparing to read outcomes")?;
        let rows = read.query_map((), outcome).doing("reading outcomes")?;
        rows.collect::<Result<_, _>>().doing("reading outcomes")
    }
}

fn outcome(row: &rusqlite::Row<'_>) -> rusqlite::Result<Outcome> {
    Ok(Outcome {
        id: row.get(0)?,
        at: Time(row.get(1)?),
        issue: row.get(2)?,
        command: row.get(3)?,
        refused: row.get(4)?,
    })
}
