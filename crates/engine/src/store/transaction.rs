//! A transaction: all of it is kept, or nothing. Transactions are short, so the statements that begin and end one are
//! prepared once and cached.

use rusqlite::Connection;
use std::ops::Deref;

#[derive(Debug)]
#[must_use = "what is not committed is taken back"]
pub(crate) struct Transaction<'a> {
    connection: &'a Connection,
    is_open: bool,
}

impl<'a> Transaction<'a> {
    /// Takes the write lock at once.
    pub(super) fn begin(connection: &'a mut Connection) -> rusqlite::Result<Self> {
        run(connection, "BEGIN IMMEDIATE")?;
        Ok(Self { connection, is_open: true })
    }

    pub(super) fn commit(mut self) -> rusqlite::Result<()> {
        run(self.connection, "COMMIT")?;
        self.is_open = false;
        Ok(())
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // A connection that cannot even roll back does so when it is closed; until then the next BEGIN fails.
        let is_over = !self.is_open || run(self.connection, "ROLLBACK").is_ok();
        debug_assert!(is_over || self.connection.is_autocommit(), "a transaction was left open");
    }
}

fn run(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute(()).map(|_| ())
}
