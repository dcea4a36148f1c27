//! The database: one snapshot and the inputs after it.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::folder::private_file;
use super::input::{Input, Recorded};
use crate::http::Site;

/// "RFRG": tells this file from other programs' databases.
const APPLICATION_ID: i32 = 0x5246_5247;
/// The form of the tables and of what is in them. The second one has ids beside inputs, and the first is read too.
const FORMAT: i32 = 2;

/// After so many inputs a snapshot is taken, so that opening does not do too much again.
const INPUTS_BETWEEN_SNAPSHOTS: u32 = 256;

const TABLES: &str = "
    CREATE TABLE snapshot (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), site BLOB NOT NULL) STRICT;
    CREATE TABLE input (sequence INTEGER PRIMARY KEY, input BLOB NOT NULL) STRICT;
";

#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    inputs: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("could not {doing} {path:?}: {source}")]
    Database { doing: &'static str, path: PathBuf, source: rusqlite::Error },
    #[error("could not make {path:?}: {source}")]
    Create { path: PathBuf, source: std::io::Error },
    #[error("{path:?} belongs to another program; name another folder")]
    NotOurs { path: PathBuf },
    #[error(
        "{path:?} was written by a newer version (format {found}, this one knows {FORMAT}); use that \
         version"
    )]
    Newer { path: PathBuf, found: i32 },
    #[error("{path:?} is damaged ({detail}); it was left as it is, restore it from a backup")]
    Damaged { path: PathBuf, detail: String },
}

/// The stored site, and the inputs since.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) site: Option<Site>,
    /// In the order in which they came after the snapshot.
    pub(crate) inputs: Vec<Recorded<Input>>,
}

impl Store {
    pub(crate) fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("forge.sqlite");
        let create = |source| StoreError::Create { path: path.clone(), source };
        drop(private_file(&path).map_err(create)?);
        let database = |source| StoreError::Database { doing: "open", path: path.clone(), source };
        let connection = Connection::open(&path).map_err(database)?;
        let store = Self { connection, path: path.clone(), inputs: 0 };
        store.recognise()?;
        Ok(store)
    }

    /// Takes a file that is ours or new, and nothing else.
    fn recognise(&self) -> Result<(), StoreError> {
        let fault = because(&self.path, "read");
        let number = |name: &str| {
            let pragma = format!("PRAGMA {name}");
            self.connection.query_row(&pragma, [], |row| row.get::<_, i32>(0)).map_err(&fault)
        };
        let (application, format) = (number("application_id")?, number("user_version")?);
        let count = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = self.connection.query_row(count, [], |row| row.get(0)).map_err(&fault)?;
        let path = self.path.clone();
        if tables > 0 && application != APPLICATION_ID {
            return Err(StoreError::NotOurs { path });
        }
        if format > FORMAT {
            return Err(StoreError::Newer { path, found: format });
        }
        let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";
        self.connection.execute_batch(settings).map_err(&fault)?;
        let check = "PRAGMA quick_check";
        let health: String =
            self.connection.query_row(check, [], |row| row.get(0)).map_err(&fault)?;
        if health != "ok" {
            return Err(StoreError::Damaged { path, detail: health });
        }
        if tables == 0 || format < FORMAT {
            let tables = if tables == 0 { TABLES } else { "" };
            let marks = format!(
                "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT};"
            );
            let batch = format!("BEGIN; {tables} {marks} COMMIT;");
            self.connection.execute_batch(&batch).map_err(because(&self.path, "set up"))?;
        }
        Ok(())
    }

    pub(crate) fn load(&mut self) -> Result<Kept, StoreError> {
        let path = self.path.clone();
        let fault = because(&path, "read");
        let damaged = |error: serde_json::Error| StoreError::Damaged {
            path: path.clone(),
            detail: error.to_string(),
        };
        let select = "SELECT site FROM snapshot";
        let found = self.connection.query_row(select, [], |row| row.get::<_, Vec<u8>>(0));
        let found = found.optional().map_err(&fault)?;
        let site = found.map(|json| serde_json::from_slice(&json)).transpose().map_err(damaged)?;
        let select = "SELECT input FROM input ORDER BY sequence";
        let mut statement = self.connection.prepare(select).map_err(&fault)?;
        let rows = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).map_err(&fault)?;
        let mut inputs = Vec::new();
        for row in rows {
            inputs.push(serde_json::from_slice(&row.map_err(&fault)?).map_err(damaged)?);
        }
        drop(statement);
        self.inputs = u32::try_from(inputs.len()).unwrap_or(u32::MAX);
        Ok(Kept { site, inputs })
    }

    /// Makes an input durable, with the id that was given last before it. Only then may anybody be told
    /// what it did.
    pub(crate) fn append(&mut self, input: &Input, after_id: u64) -> Result<(), StoreError> {
        let json = self.json(&Recorded { input, after_id: Some(after_id) })?;
        let insert = "INSERT INTO input (input) VALUES (?1)";
        self.connection.execute(insert, params![json]).map_err(because(&self.path, "write to"))?;
        self.inputs = self.inputs.saturating_add(1);
        Ok(())
    }

    pub(crate) fn is_snapshot_due(&self) -> bool {
        self.inputs >= INPUTS_BETWEEN_SNAPSHOTS
    }

    /// Keeps the whole site, which makes the inputs before it needless.
    pub(crate) fn snapshot(&mut self, site: &Site) -> Result<(), StoreError> {
        let json = self.json(site)?;
        let path = self.path.clone();
        let fault = |source| StoreError::Database { doing: "write to", path: path.clone(), source };
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior).map_err(&fault)?;
        let replace = "INSERT OR REPLACE INTO snapshot (only_one, site) VALUES (1, ?1)";
        transaction.execute(replace, params![json]).map_err(&fault)?;
        transaction.execute("DELETE FROM input", []).map_err(&fault)?;
        transaction.commit().map_err(&fault)?;
        self.inputs = 0;
        Ok(())
    }

    /// A copy of everything as it is recorded; where it is.
    pub(crate) fn copy(&self, now_ms: u64) -> Result<PathBuf, StoreError> {
        let copy = self.path.with_file_name(format!("forge-before-{now_ms}.sqlite"));
        drop(
            private_file(&copy)
                .map_err(|source| StoreError::Create { path: copy.clone(), source })?,
        );
        let name = copy.to_string_lossy();
        let copied = self.connection.execute("VACUUM INTO ?1", params![name]);
        copied.map_err(because(&self.path, "copy"))?;
        Ok(copy)
    }

    fn json(&self, value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(value).map_err(|error| StoreError::Damaged {
            path: self.path.clone(),
            detail: format!("what is in memory cannot be written: {error}"),
        })
    }
}

fn because(path: &Path, doing: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    move |source| {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let path = path.clone();
        match source.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                StoreError::Damaged { path, detail: source.to_string() }
            }
            Some(_) | None => StoreError::Database { doing, path, source },
        }
    }
}
