//! The inbox: commands given on this machine. Any process may post one; only the writer takes them. The wish
//! to drain lies here too, and stays until somebody takes it back, whoever writes meanwhile.

use super::Transaction;
use super::{Doing, OpenError, Store, StoreError, migrate};
use crate::ports::LocalCommand;
use ralph_core::command::Manner;
use ralph_core::ids::{IssueKey, Login, RepoName};
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
}

/// Posts a command into the store at `path`, whether or not a daemon runs. Gives its number.
pub fn post_command(path: &Path, now: Time, command: &LocalCommand) -> Result<i64, PostError> {
    let mut connection = migrate::open_to_post(path)?;
    let (issue, name) = (command.issue.to_string(), command.manner.of(command.command));
    Ok(put(&mut connection, now, (&issue, &name), &command.actor)?)
}

/// Puts a row into the inbox and seals it: its number is known only then.
fn put(
    connection: &mut Connection,
    now: Time,
    (about, command): (&str, &str),
    actor: &Login,
) -> Result<i64, StoreError> {
    let doing = "posting a command";
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).doing(doing)?;
    let insert = "INSERT INTO inbox (at, issue, command, actor) VALUES (?1, ?2, ?3, ?4)";
    tx.execute(insert, (now.0, about, command, actor.as_str())).doing(doing)?;
    let id = tx.last_insert_rowid();
    let seal = "UPDATE inbox SET seal = seal_of(id, at, issue, command, actor) WHERE id = ?1";
    tx.execute(seal, [id]).doing(doing)?;
    tx.commit().doing(doing)?;
    Ok(id)
}

/// Asks the store's writer to take a repository over from the Ralph that holds it.
pub fn post_take_over(
    path: &Path,
    now: Time,
    (repo, by): (&RepoName, &Login),
) -> Result<i64, PostError> {
    let mut connection = migrate::open_to_post(path)?;
    Ok(put(&mut connection, now, (repo.as_str(), TAKE_OVER), by)?)
}

pub(crate) const TAKE_OVER: &str = "take-over";

/// In place of an issue: this row is about everything.
const EVERYTHING: &str = "*";
const DRAIN: &str = "drain";

/// Nothing new is to be claimed or started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drain {
    pub since: Time,
    pub by: Login,
}

/// Asks the store's writer, the present and every later one, to start nothing new. Gives what then holds,
/// which may be an earlier wish.
pub fn post_drain(path: &Path, now: Time, by: &Login) -> Result<Drain, PostError> {
    let mut connection = migrate::open_to_post(path)?;
    if draining(&connection)?.is_none() {
        put(&mut connection, now, (EVERYTHING, DRAIN), by)?;
    }
    let held = draining(&connection)?;
    Ok(held.unwrap_or_else(|| Drain { since: now, by: by.clone() }))
}

/// Takes the wish to drain back. Gives the one that held, if there was one.
pub fn post_resume(path: &Path) -> Result<Option<Drain>, PostError> {
    let mut connection = migrate::open_to_post(path)?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let tx = tx.doing("beginning to resume")?;
    let held = draining(&tx)?;
    tx.execute("DELETE FROM inbox WHERE issue = ?1 AND command = ?2", (EVERYTHING, DRAIN))
        .doing("taking the wish to drain back")?;
    tx.commit().doing("taking the wish to drain back")?;
    Ok(held)
}

pub(super) fn draining(connection: &Connection) -> Result<Option<Drain>, StoreError> {
    let read = "SELECT at, actor FROM inbox WHERE issue = ?1 AND command = ?2 ORDER BY id LIMIT 1";
    let mut read = connection.prepare_cached(read).doing("preparing to read the inbox")?;
    let found = read.query_row((EVERYTHING, DRAIN), |row| {
        Ok(Drain { since: Time(row.get(0)?), by: Login::new(&row.get::<_, String>(1)?) })
    });
    found.optional().doing("reading the inbox")
}

/// A command in the inbox, with its number and the time it was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Posted {
    pub(crate) id: u64,
    pub(crate) at: Time,
    pub(crate) wish: Wish,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wish {
    Command(LocalCommand),
    TakeOver { repo: RepoName, by: Login },
}

impl Wish {
    pub(crate) const fn repo(&self) -> &RepoName {
        match self {
            Self::Command(command) => &command.issue.repo,
            Self::TakeOver { repo, .. } => repo,
        }
    }
}

impl Store {
    /// Posts a command through an open store.
    pub fn post(&mut self, now: Time, command: &LocalCommand) -> Result<(), StoreError> {
        let (issue, name) = (command.issue.to_string(), command.manner.of(command.command));
        put(&mut self.connection, now, (&issue, &name), &command.actor).map(drop)
    }

    /// Does somebody want nothing new to be started?
    pub fn draining(&self) -> Result<Option<Drain>, StoreError> {
        draining(&self.connection)
    }

    pub(crate) fn inbox(&self) -> Result<Vec<Posted>, StoreError> {
        let read = "SELECT id, at, issue, command, actor FROM inbox ORDER BY id";
        let mut read = self.connection.prepare_cached(read).doing("preparing to read the inbox")?;
        let mut rows = read.query(()).doing("reading the inbox")?;
        let mut posted = Vec::new();
        while let Some(row) = rows.next().doing("reading a command")? {
            let issue: String = row.get(2).doing("reading a command")?;
            let command: String = row.get(3).doing("reading a command")?;
            let actor: String = row.get(4).doing("reading a command")?;
            // Only `post` writes here, so what cannot be read is from a newer version and stays.
            let actor = Login::new(&actor);
            let wish = match (IssueKey::parse(&issue), Manner::read(&command)) {
                (Some(issue), Some((command, manner))) => {
                    Some(Wish::Command(LocalCommand { issue, command, manner, actor }))
                }
                (None, None) if command == TAKE_OVER => {
                    RepoName::parse(&issue).map(|repo| Wish::TakeOver { repo, by: actor })
                }
                (Some(_), None) | (None, _) => None,
            };
            if let Some(wish) = wish {
                let id = row.get(0).doing("reading a command")?;
                posted.push(Posted { id, at: Time(row.get(1).doing("reading a command")?), wish });
            }
        }
        Ok(posted)
    }
}

pub(crate) fn take(tx: &Transaction<'_>, id: u64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM inbox WHERE id = ?1", [id]).doing("taking a command").map(drop)
}
