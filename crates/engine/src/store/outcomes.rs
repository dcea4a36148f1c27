//! Answers to commands given on this machine. Kept for a day, so that a person who gave one and looks later still
//! learns it.

use super::Transaction;
use super::{Doing, StoreError};
use ralph_core::time::{Span, Time};

/// Outcomes are kept for this long.
const KEPT: Span = Span::from_mins(24 * 60);

pub(crate) fn put(
    tx: &Transaction<'_>,
    now: Time,
    id: u64,
    (about, command): (&str, &str),
    refused: Option<&str>,
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM outcome WHERE at < ?1", [now.minus(KEPT).0])
        .doing("forgetting old outcomes")?;
    let row = (id, now.0, about, command, refused);
    let put = "INSERT OR REPLACE INTO outcome (id, at, issue, command, refused, seal)
               VALUES (?1, ?2, ?3, ?4, ?5, seal_of(?1, ?2, ?3, ?4, ?5))";
    tx.execute(put, row).doing("noting an outcome").map(drop)
}
