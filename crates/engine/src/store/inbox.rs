//! The inbox: commands given on this machine. Any process may post one; only the writer takes them.

use super::Transaction;
use super::{Doing, OpenError, Store, StoreError, migrate};
use crate::ports::LocalCommand;
use ralph_core::command::Command;
use ralph_core::ids::{IssueKey, Login};
use ralph_core::time::Time;
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
    let connection = migrate::open_to_post(path)?;
    connection
        .execute(
            "INSERT INTO inbox (at, issue, command, actor) VALUES (?1, ?2, ?3, ?4)",
            (now.0, command.issue.to_string(), command.command.to_string(), command.actor.as_str()),
        )
        .doing("posting a command")?;
    Ok(connection.last_insert_rowid())
}

/// A command in the inbox, with its number and the time it was posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Posted {
    pub(crate) id: u64,
    pub(crate) at: Time,
    pub(crate) command: LocalCommand,
}

impl Store {
    /// Posts a command through an open store.
    pub fn post(&mut self, now: Time, command: &LocalCommand) -> Result<(), StoreError> {
        let (issue, actor) = (command.issue.to_string(), command.actor.as_str());
        let row = (now.0, issue, command.command.to_string(), actor);
        let post = "INSERT INTO inbox (at, issue, command, actor) VALUES (?1, ?2, ?3, ?4)";
        self.connection.execute(post, row).doing("posting a command").map(drop)
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
            if let (Some(issue), Some(command)) =
                (IssueKey::parse(&issue), Command::from_name(&command))
            {
                let command = LocalCommand { issue, command, actor: Login::new(&actor) };
                let id = row.get(0).doing("reading a command")?;
                posted.push(Posted {
                    id,
                    at: Time(row.get(1).doing("reading a command")?),
                    command,
                });
            }
        }
        Ok(posted)
    }
}

pub(crate) fn take(tx: &Transaction<'_>, id: u64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM inbox WHERE id = ?1", [id]).doing("taking a command").map(drop)
}
