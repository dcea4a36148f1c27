//! Answers to commands given on this machine.

use super::Reader;
use crate::local_command::Order;
use crate::store::{Answer, Doing as _, StoreError};
use ralph_core::time::Time;
use rusqlite::OptionalExtension as _;
use serde::Serialize;

/// A command that was answered, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Its number in the inbox.
    pub id: i64,
    pub at: Time,
    /// The key that its sender gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub issue: String,
    pub command: String,
    /// The reason why it was not obeyed.
    pub refused: Option<String>,
}

const READ: &str = "SELECT id, at, key, body, answer FROM outcome WHERE answer IS NOT NULL";

impl Reader {
    /// The answer to a command, by its number in the inbox; `None` while it is not answered.
    pub fn outcome(&self, id: i64) -> Result<Option<Outcome>, StoreError> {
        let read = format!("{READ} AND id = ?1");
        let found = self.connection.query_row(&read, [id], outcome).optional();
        found.doing("reading an outcome").map(Option::flatten)
    }

    /// Commands that were refused within the last day, the latest first.
    pub(super) fn refused(&self) -> Result<Vec<Outcome>, StoreError> {
        let read = format!("{READ} ORDER BY id DESC");
        let mut read = self.connection.prepare(&read).doing("preparing to read outcomes")?;
        let rows = read.query_map((), outcome).doing("reading outcomes")?;
        let all = rows.collect::<Result<Vec<_>, _>>().doing("reading outcomes")?;
        Ok(all.into_iter().flatten().filter(|outcome| outcome.refused.is_some()).collect())
    }
}

/// `None` if a newer version wrote it.
fn outcome(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Outcome>> {
    let (body, answer): (String, String) = (row.get(3)?, row.get(4)?);
    let (Ok(order), Ok(answer)) =
        (serde_json::from_str::<Order>(&body), serde_json::from_str::<Answer>(&answer))
    else {
        return Ok(None);
    };
    let refused = match answer {
        Answer::Obeyed => None,
        Answer::Refused { why } => Some(why),
    };
    let (issue, command) = (order.about(), order.name());
    let (id, at, key) = (row.get(0)?, Time(row.get(1)?), row.get(2)?);
    Ok(Some(Outcome { id, at, key, issue, command, refused }))
}
