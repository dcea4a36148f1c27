//! Checks a database before it is opened for writing: it must be ours, of a known version, and intact to the last row.
//! A database that is refused here is not changed by a byte.

use super::VERSION;
use super::migrate::{APPLICATION_ID, OpenError, schema_of_version};
use super::seal::{self, Extent};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// A shorter file is not a database, but SQLite takes some of them for an empty one.
const PAGE_BYTES_MIN: u64 = 512;

/// Every column of every table of a database.
const SHAPE: &str = "
    SELECT list.name, list.wr, list.strict, col.name, col.type, col.\"notnull\", col.pk
    FROM pragma_table_list AS list JOIN pragma_table_xinfo(list.name) AS col
    WHERE list.schema = 'main' AND list.type = 'table' AND list.name NOT LIKE 'sqlite~_%' ESCAPE '~'
    ORDER BY list.name, col.cid";

/// Every definition as it is written: a damaged constraint or index has the same columns, and cannot be read.
const DEFINITIONS: &str = "
    SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM main.sqlite_schema
    WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY type, name";

/// Opens a database so that neither it nor the files beside it can change.
pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let sql =
        |source| OpenError::Sql { path: path.to_owned(), doing: "opened for reading", source };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sql)?;
    seal::register(&connection).map_err(sql)?;
    Ok(connection)
}

/// Checks that the database is ours and of a known version. Returns the version; 0 for an empty file.
pub(super) fn identify(connection: &Connection, path: &Path) -> Result<u32, OpenError> {
    if std::fs::metadata(path).is_ok_and(|file| (1..PAGE_BYTES_MIN).contains(&file.len())) {
        return Err(damaged(path, &"it is too short to be a database"));
    }
    let read = |source: rusqlite::Error| damaged(path, &source);
    let id: i32 =
        connection.query_row("PRAGMA application_id", (), |row| row.get(0)).map_err(read)?;
    let found = version(connection).map_err(read)?;
    let shape = shape(connection).map_err(read)?;
    // Both numbers are in the header, and a damaged header says nothing about the tables.
    let known = known_version(&shape).map_err(read)?;
    match known {
        Some(known) if id != APPLICATION_ID || found != known => Err(damaged(
            path,
            &format!("its tables are those of version {known}, and its header says otherwise"),
        )),
        Some(known) => Ok(known),
        None if shape.is_empty() && found == 0 => Ok(0),
        None if id != APPLICATION_ID => Err(OpenError::Foreign { path: path.to_owned() }),
        None if found > VERSION => Err(OpenError::Newer { path: path.to_owned(), found }),
        None => Err(damaged(path, &format!("its tables are not those of version {found}"))),
    }
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", (), |row| row.get(0))
}

/// Checks that the database is ours and intact: its pages, its indexes, and every row that carries a digest. Returns
/// the version.
pub(super) fn recognise(connection: &Connection, path: &Path) -> Result<u32, OpenError> {
    let found = identify(connection, path)?;
    let checked =
        connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get::<_, String>(0));
    match checked {
        Ok(verdict) if verdict == "ok" => {}
        Ok(verdict) => return Err(damaged(path, &verdict.trim())),
        Err(source) => return Err(damaged(path, &source)),
    }
    rows(connection, path, (found, Extent::Everything))?;
    Ok(found)
}

/// Compares rows with their digests.
pub(super) fn rows(
    connection: &Connection,
    path: &Path,
    (version, extent): (u32, Extent),
) -> Result<(), OpenError> {
    if version < seal::SINCE_VERSION {
        return Ok(());
    }
    match seal::broken(connection, version, extent) {
        Ok(None) => Ok(()),
        Ok(Some(name)) => Err(damaged(path, &format!("{name:?} does not match its digest"))),
        Err(source) => Err(damaged(path, &source)),
    }
}

/// One line for every column of every table, and every definition as it is written.
pub(super) fn shape(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut read = connection.prepare(SHAPE)?;
    let rows = read.query_map((), |row| {
        let (table, column): (String, String) = (row.get(0)?, row.get(3)?);
        let (kind, numbers): (String, [i64; 4]) =
            (row.get(4)?, [row.get(1)?, row.get(2)?, row.get(5)?, row.get(6)?]);
        Ok(format!("{table}.{column} {kind} {numbers:?}"))
    });
    let mut shape = rows?.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut read = connection.prepare(DEFINITIONS)?;
    let definitions = read.query_map((), |row| row.get::<_, String>(0))?;
    shape.extend(definitions.collect::<rusqlite::Result<Vec<_>>>()?);
    Ok(shape)
}

/// The version with these tables, if it is a known one. The current version is the likeliest, so it is tried first.
fn known_version(shape: &[String]) -> rusqlite::Result<Option<u32>> {
    for version in (1..=VERSION).rev() {
        if schema_of_version(version)? == shape {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

pub(super) fn damaged(path: &Path, detail: &dyn std::fmt::Display) -> OpenError {
    let detail = format!("{detail}. {}", advice(path));
    OpenError::Damaged { path: path.to_owned(), detail }
}

/// The alternative to running a newer Ralph: putting back a backup.
pub(super) fn instead(path: &Path) -> String {
    latest_backup(path).map_or_else(String::new, |backup| {
        format!(", or copy {} to its place, which is from before an upgrade", backup.display())
    })
}

/// Advice on how to continue: with a backup if there is one, otherwise with a new store.
#[must_use]
pub fn advice(path: &Path) -> String {
    let without = "start without it: after `ralph take-over owner/name` labels and pull requests on the \
                   forge are taken up again";
    match latest_backup(path) {
        Some(backup) => format!(
            "It was left untouched. Move it away and copy {} to its place, or {without}.",
            backup.display()
        ),
        None => format!(
            "It was left untouched. There is no backup beside it: move it away and {without}."
        ),
    }
}

/// The intact backup of the highest version; of several, the one made last.
fn latest_backup(path: &Path) -> Option<PathBuf> {
    let prefix = format!("{}.backup-v", path.file_name()?.to_string_lossy());
    let entries = std::fs::read_dir(path.parent()?).ok()?.flatten();
    let found = entries.filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let (version, number) = match name.strip_prefix(&prefix)?.split_once('-') {
            Some((version, number)) => (version.parse::<u32>().ok()?, number.parse().ok()?),
            None => (name.strip_prefix(&prefix)?.parse().ok()?, 1_u32),
        };
        Some(((version, number), entry.path()))
    });
    let mut found: Vec<((u32, u32), PathBuf)> = found.collect();
    found.sort();
    let is_whole = |backup: &PathBuf| open(backup).is_ok_and(|it| recognise(&it, backup).is_ok());
    found.into_iter().rev().map(|(_, path)| path).find(is_whole)
}
