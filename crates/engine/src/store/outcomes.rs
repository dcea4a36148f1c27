//! Answers to commands given on this machine. They are kept for a day, so that a person who looks later still sees the
//! answer, and a key identifies the same command for as long.

use super::Transaction;
use super::inbox::body_of;
use super::{Doing, StoreError};
use crate::local_command::Order;
use ralph_core::time::{Span, Time};
use serde::{Deserialize, Serialize};

/// The time for which outcomes are kept.
const KEPT: Span = Span::from_mins(24 * 60);

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Answer {
    Obeyed,
    Refused { why: String },
}

impl Answer {
    pub(crate) fn of(refused: Option<String>) -> Self {
        refused.map_or(Self::Obeyed, |why| Self::Refused { why })
    }
}

/// Records that a command was taken, or its answer. The key stays as first recorded.
pub(crate) fn put(
    tx: &Transaction<'_>,
    now: Time,
    id: u64,
    (key, order): (Option<&str>, &Order),
    answer: Option<&Answer>,
) -> Result<(), StoreError> {
    let doing = "noting an outcome";
    tx.execute("DELETE FROM outcome WHERE at < ?1", [now.minus(KEPT).0])
        .doing("forgetting old outcomes")?;
    let answer = answer.map(|answer| serde_json::to_string(answer).unwrap_or_default());
    let put = "INSERT INTO outcome (id, at, key, body, answer, seal) VALUES (?1, ?2, ?3, ?4, ?5, 0)
               ON CONFLICT (id) DO UPDATE SET at = excluded.at, answer = excluded.answer";
    tx.execute(put, (id, now.0, key, body_of(order), answer)).doing(doing)?;
    let seal = "UPDATE outcome SET seal = seal_of(id, at, key, body, answer) WHERE id = ?1";
    tx.execute(seal, [id]).doing(doing).map(drop)
}
