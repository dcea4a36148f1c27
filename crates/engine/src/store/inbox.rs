//! The inbox: commands given on this machine, as JSON. Any process may post one; only the writer takes them, and the
//! order to drain stays until it is revoked, across writers.

use super::Transaction;
use super::{Doing, OpenError, Store, StoreError, migrate};
use crate::local_command::{LocalCommand, Order};
use ralph_core::ids::Login;
use ralph_core::time::Time;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};
use serde::Serialize;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum PostError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the key {key:?} was given to another command already (entry {id}); choose a new key")]
    KeyTaken { key: String, id: i64 },
}

/// Posts a command into the store at `path`, whether or not a daemon runs. Returns its number, or the number of an
/// earlier command with the same key.
pub fn post_command(path: &Path, now: Time, command: &LocalCommand) -> Result<i64, PostError> {
    put(&mut migrate::open_to_post(path)?, now, command)
}

/// Puts a row into the inbox, then seals it, because its number is not known before.
fn put(connection: &mut Connection, now: Time, command: &LocalCommand) -> Result<i64, PostError> {
    let doing = "posting a command";
    let LocalCommand { actor, key, order } = command;
    let body = body_of(order);
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).doing(doing)?;
    if let Some(key) = key {
        let read = "SELECT id, body FROM inbox WHERE key = ?1
                    UNION ALL SELECT id, body FROM outcome WHERE key = ?1";
        let known = tx.query_row(read, [key], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)));
        if let Some((id, known)) = known.optional().doing(doing)? {
            return if known == body {
                Ok(id)
            } else {
                Err(PostError::KeyTaken { key: key.clone(), id })
            };
        }
    }
    let insert = "INSERT INTO inbox (at, actor, key, body) VALUES (?1, ?2, ?3, ?4)";
    tx.execute(insert, (now.0, actor.as_str(), key, body)).doing(doing)?;
    let id = tx.last_insert_rowid();
    let seal = "UPDATE inbox SET seal = seal_of(id, at, actor, key, body) WHERE id = ?1";
    tx.execute(seal, [id]).doing(doing)?;
    tx.commit().doing(doing)?;
    Ok(id)
}

/// An order contains only strings and numbers, so serialising it cannot fail.
pub(super) fn body_of(order: &Order) -> String {
    serde_json::to_string(order).unwrap_or_default()
}

/// The order to claim and start nothing new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drain {
    pub since: Time,
    pub by: Login,
}

/// Asks this and every later writer of the store to start nothing new. Returns the order that is now in force, which
/// may be an earlier one.
pub fn post_drain(path: &Path, now: Time, by: &Login) -> Result<Drain, PostError> {
    let mut connection = migrate::open_to_post(path)?;
    if draining(&connection)?.is_none() {
        let command = LocalCommand { actor: by.clone(), key: None, order: Order::Drain };
        put(&mut connection, now, &command)?;
    }
    let held = draining(&connection)?;
    Ok(held.unwrap_or_else(|| Drain { since: now, by: by.clone() }))
}

/// Revokes the order to drain. Returns the one that was in force, if any.
pub fn post_resume(path: &Path) -> Result<Option<Drain>, PostError> {
    let mut connection = migrate::open_to_post(path)?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let tx = tx.doing("beginning to resume")?;
    let held = draining(&tx)?;
    tx.execute("DELETE FROM inbox WHERE body = ?1", [body_of(&Order::Drain)])
        .doing("taking the order to drain back")?;
    tx.commit().doing("taking the order to drain back")?;
    Ok(held)
}

pub(super) fn draining(connection: &Connection) -> Result<Option<Drain>, StoreError> {
    let read = "SELECT at, actor FROM inbox WHERE body = ?1 ORDER BY id LIMIT 1";
    let mut read = connection.prepare_cached(read).doing("preparing to read the inbox")?;
    let found = read.query_row([body_of(&Order::Drain)], |row| {
        Ok(Drain { since: Time(row.get(0)?), by: Login::new(&row.get::<_, String>(1)?) })
    });
    found.optional().doing("reading the inbox")
}

/// A command in the inbox, with its number and the time it was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Posted {
    pub(crate) id: u64,
    pub(crate) at: Time,
    pub(crate) command: LocalCommand,
}

/// Every command in the inbox, in the order of posting. An order that cannot be parsed is from a newer version and
/// stays.
pub(super) fn posted(connection: &Connection) -> Result<Vec<Posted>, StoreError> {
    let doing = "reading the inbox";
    let read = "SELECT id, at, actor, key, body FROM inbox ORDER BY id";
    let mut read = connection.prepare_cached(read).doing(doing)?;
    let mut rows = read.query(()).doing(doing)?;
    let mut posted = Vec::new();
    while let Some(row) = rows.next().doing(doing)? {
        let body: String = row.get(4).doing(doing)?;
        let Ok(order) = serde_json::from_str(&body) else { continue };
        let actor = Login::new(&row.get::<_, String>(2).doing(doing)?);
        let command = LocalCommand { actor, key: row.get(3).doing(doing)?, order };
        let (id, at) = (row.get(0).doing(doing)?, Time(row.get(1).doing(doing)?));
        posted.push(Posted { id, at, command });
    }
    Ok(posted)
}

impl Store {
    /// Posts a command through an open store.
    pub fn post(&mut self, now: Time, command: &LocalCommand) -> Result<i64, PostError> {
        put(&mut self.connection, now, command)
    }

    /// The order to start nothing new, if it is in force.
    pub fn draining(&self) -> Result<Option<Drain>, StoreError> {
        draining(&self.connection)
    }

    pub(crate) fn inbox(&self) -> Result<Vec<Posted>, StoreError> {
        posted(&self.connection)
    }
}

pub(crate) fn take(tx: &Transaction<'_>, id: u64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM inbox WHERE id = ?1", [id]).doing("taking a command").map(drop)
}
