//! The outbox: desired effects that are not settled. A settled row is deleted, because the state rows then record what
//! happened.

use super::Transaction;
use super::rows::{from_json, to_json};
use super::{Doing, Store, StoreError};
use crate::queue::Change;
use ralph_core::effect::Effect;
use ralph_core::time::Time;
use serde::{Deserialize, Serialize};

/// One effect that is not settled yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: i64,
    pub key: String,
    pub ordering_key: String,
    pub effect: Effect,
    pub(crate) state: RowState,
    /// False if it is no longer desired but a try may have happened: then it is only looked up.
    pub is_wanted: bool,
    /// Tries that may have left something behind.
    pub tries: u32,
    pub due: Time,
    /// The reason why it was put back, for people.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RowState {
    Pending,
    Leased,
}

impl RowState {
    const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Leased => "claimed",
        }
    }
}

/// Writes a change of the queue to the store.
pub(crate) fn write(tx: &Transaction<'_>, change: &Change) -> Result<(), StoreError> {
    match change {
        Change::Insert(row) => insert(tx, row),
        Change::Update(row) => update(tx, row),
        Change::Delete(id) => delete(tx, *id),
    }
}

fn insert(tx: &Transaction<'_>, row: &Row) -> Result<(), StoreError> {
    let effect = to_json(&row.effect, "effect", &row.key)?;
    let mut insert = tx
        .prepare_cached(
            "INSERT INTO outbox
             (id, key, subject, lane, effect, state, wanted, tries, due, reason, seal)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                     seal_of(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10))",
        )
        .doing("preparing to queue an effect")?;
    insert
        .execute((
            row.id,
            &row.key,
            row.effect.subject().to_string(),
            &row.ordering_key,
            effect,
            row.state.name(),
            row.is_wanted,
            row.tries,
            row.due.0,
            &row.reason,
        ))
        .doing("queueing an effect")
        .map(drop)
}

fn update(tx: &Transaction<'_>, row: &Row) -> Result<(), StoreError> {
    let effect = to_json(&row.effect, "effect", &row.key)?;
    let mut update = tx
        .prepare_cached(
            "UPDATE outbox SET effect = ?2, state = ?3, wanted = ?4, tries = ?5, due = ?6, reason = ?7,
             seal = seal_of(id, key, subject, lane, ?2, ?3, ?4, ?5, ?6, ?7)
             WHERE id = ?1",
        )
        .doing("preparing to update an effect")?;
    update
        .execute((
            row.id,
            effect,
            row.state.name(),
            row.is_wanted,
            row.tries,
            row.due.0,
            &row.reason,
        ))
        .doing("updating an effect")
        .map(drop)
}

fn delete(tx: &Transaction<'_>, id: i64) -> Result<(), StoreError> {
    let gone = tx.prepare_cached("DELETE FROM outbox WHERE id = ?1");
    let mut gone = gone.doing("preparing to remove an effect")?;
    gone.execute([id]).doing("removing an effect").map(drop)
}

impl Store {
    /// Every row, oldest first.
    pub fn outbox(&self) -> Result<Vec<Row>, StoreError> {
        let mut all = self
            .connection
            .prepare_cached(
                "SELECT id, key, lane, effect, state, wanted, tries, due, reason FROM outbox ORDER BY id",
            )
            .doing("preparing to read the outbox")?;
        let mut rows = all.query(()).doing("reading the outbox")?;
        let mut outbox = Vec::new();
        while let Some(row) = rows.next().doing("reading an effect")? {
            let key: String = row.get(1).doing("reading an effect")?;
            let effect: String = row.get(3).doing("reading an effect")?;
            let state: String = row.get(4).doing("reading an effect")?;
            let is_claimed = state == RowState::Leased.name();
            outbox.push(Row {
                id: row.get(0).doing("reading an effect")?,
                ordering_key: row.get(2).doing("reading an effect")?,
                effect: from_json(&effect, "effect", &key)?,
                key,
                state: if is_claimed { RowState::Leased } else { RowState::Pending },
                is_wanted: row.get(5).doing("reading an effect")?,
                tries: row.get(6).doing("reading an effect")?,
                due: Time(row.get(7).doing("reading an effect")?),
                reason: row.get(8).doing("reading an effect")?,
            });
        }
        Ok(outbox)
    }
}
