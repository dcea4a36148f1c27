//! The journal: every fact that changed something, in order, with a retention rule.

use super::Transaction;
use super::rows::{from_json, to_json};
use super::{Doing, Store, StoreError};
use ralph_core::fact::Fact;
use ralph_core::time::Time;
use rusqlite::Connection;

/// Version of the facts written now. A fact of an older version is understood or skipped by its number.
const FACT_VERSION: u32 = 1;

/// One fact with its number and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub seq: u64,
    pub at: Time,
    pub fact: Fact,
}

pub(crate) fn append(tx: &Transaction<'_>, now: Time, fact: &Fact) -> Result<(), StoreError> {
    let body = to_json(fact, "fact", &fact.subject)?;
    let mut append = tx
        .prepare_cached(
            "INSERT INTO fact (seq, at, version, subject, body, seal)
             SELECT next, ?1, ?2, ?3, ?4, seal_of(next, ?1, ?2, ?3, ?4)
             FROM (SELECT coalesce(max(seq), 0) + 1 AS next FROM fact)",
        )
        .doing("preparing to append a fact")?;
    let row = (now.0, FACT_VERSION, fact.subject.to_string(), body);
    append.execute(row).doing("appending a fact").map(drop)
}

pub(super) fn entries(
    connection: &Connection,
    subject: Option<&str>,
    after: u64,
) -> Result<Vec<JournalEntry>, StoreError> {
    // Two statements, because only a statement that always names the subject can use its index.
    let (all, of_one) = (
        "SELECT seq, at, subject, body, seal IS seal_of(seq, at, version, subject, body)
         FROM fact WHERE seq > ?1 ORDER BY seq",
        "SELECT seq, at, subject, body, seal IS seal_of(seq, at, version, subject, body)
         FROM fact WHERE seq > ?1 AND subject = ?2 ORDER BY seq",
    );
    let read = connection.prepare_cached(if subject.is_some() { of_one } else { all });
    let mut read = read.doing("preparing to read the journal")?;
    let rows = match subject {
        Some(subject) => read.query((after, subject)),
        None => read.query((after,)),
    };
    let mut rows = rows.doing("reading the journal")?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next().doing("reading a fact")? {
        let (seq, at): (u64, i64) =
            (row.get(0).doing("reading a fact")?, row.get(1).doing("reading a fact")?);
        let subject: String = row.get(2).doing("reading a fact")?;
        if !row.get::<_, bool>(4).doing("reading a fact")? {
            return Err(StoreError::Damaged { what: format!("the fact {seq} of {subject:?}") });
        }
        let body: String = row.get(3).doing("reading a fact")?;
        entries.push(JournalEntry { seq, at: Time(at), fact: from_json(&body, "fact", &subject)? });
    }
    Ok(entries)
}

/// The number of the latest entry; 0 if there is none.
pub(super) fn end(connection: &Connection) -> rusqlite::Result<u64> {
    let mut read = connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM fact")?;
    read.query_row((), |row| row.get(0))
}

impl Store {
    /// The journal after this number, oldest first.
    pub fn journal_after(&self, seq: u64) -> Result<Vec<JournalEntry>, StoreError> {
        entries(&self.connection, None, seq)
    }

    /// The number of the latest entry; 0 if there is none.
    pub fn journal_end(&self) -> Result<u64, StoreError> {
        end(&self.connection).doing("reading the end of the journal")
    }

    /// Deletes facts from before `oldest`. State rows stay, so only the story gets shorter.
    pub fn prune_journal(&mut self, oldest: Time) -> Result<usize, StoreError> {
        // The last one stays, because numbering continues from it.
        let prune = "DELETE FROM fact WHERE at < ?1 AND seq < (SELECT max(seq) FROM fact)";
        let pruned = self.connection.execute(prune, [oldest.0]);
        pruned.doing("pruning the journal")
    }
}
