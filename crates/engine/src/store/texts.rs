//! Deletes texts that nothing refers to: no row, no effect under way, no kept fact.

use super::{Doing, Store, StoreError};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// Length of a digest in its written form.
const DIGEST_CHARS: usize = 32;

/// Every column that may refer to a text. All of them are JSON.
const NAMING: [&str; 4] = [
    "SELECT state FROM issue",
    "SELECT state FROM repo",
    "SELECT effect FROM outbox",
    "SELECT body FROM fact",
];

impl Store {
    /// Deletes texts that nothing refers to. Returns their number.
    pub fn forget_texts(&mut self) -> Result<usize, StoreError> {
        let mut unnamed = all(&self.connection)?;
        for naming in NAMING {
            if unnamed.is_empty() {
                return Ok(0);
            }
            strike_named(&self.connection, naming, &mut unnamed)?;
        }
        let delete = "DELETE FROM blob WHERE digest = ?1";
        self.transact(|tx| {
            let mut delete = tx.prepare_cached(delete).doing("preparing to forget a text")?;
            for digest in &unnamed {
                delete.execute([digest]).doing("forgetting a text")?;
            }
            Ok(unnamed.len())
        })
    }
}

fn all(connection: &Connection) -> Result<BTreeSet<String>, StoreError> {
    let read = connection.prepare_cached("SELECT digest FROM blob");
    let mut read = read.doing("preparing to list texts")?;
    let rows = read.query_map((), |row| row.get(0)).doing("listing texts")?;
    rows.collect::<rusqlite::Result<_>>().doing("listing texts")
}

fn strike_named(
    connection: &Connection,
    naming: &str,
    unnamed: &mut BTreeSet<String>,
) -> Result<(), StoreError> {
    let mut read = connection.prepare_cached(naming).doing("preparing to look for texts")?;
    let mut rows = read.query(()).doing("looking for texts")?;
    while let Some(row) = rows.next().doing("looking for texts")? {
        let text = row.get_ref(0).doing("looking for texts")?.as_str().unwrap_or_default();
        for digest in text.split('"').filter(|part| part.len() == DIGEST_CHARS) {
            unnamed.remove(digest);
        }
    }
    Ok(())
}
