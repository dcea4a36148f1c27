//! Opening a database: creates, recognises, backs up and migrates it, or refuses it with a reason. Nothing that was not
//! understood is ever overwritten.

use super::inspect;
use super::seal::{self, Extent};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::cell::OnceCell;
use std::fs::{DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};

/// "RLPH": distinguishes our databases from others.
pub(super) const APPLICATION_ID: i32 = 0x524C_5048;

/// Each migration brings a database from the version before it to its own. They are never edited.
const MIGRATIONS: [&str; 6] = [
    include_str!("../../migrations/0001_foundation.sql"),
    include_str!("../../migrations/0002_inbox_and_cursors.sql"),
    include_str!("../../migrations/0003_identity.sql"),
    include_str!("../../migrations/0004_seals.sql"),
    include_str!("../../migrations/0005_outcomes_and_requests.sql"),
    include_str!("../../migrations/0006_typed_inbox.sql"),
];

/// The version this program writes.
pub const VERSION: u32 = 6;

/// Maximum number of backups of one version; each is from another upgrade, or incomplete.
const BACKUPS_MAX: u32 = 20;

/// Number of prepared statements to keep; every statement of a transaction fits.
const STATEMENT_CACHE: usize = 64;

/// The reason why a database could not be opened, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "{} was written by a newer Ralph (version {found}, this one knows up to {VERSION}). \
         Run that newer Ralph{}.",
        path.display(), inspect::instead(path)
    )]
    Newer { path: PathBuf, found: u32 },
    #[error(
        "{} is damaged: {detail}", path.display()
    )]
    Damaged { path: PathBuf, detail: String },
    #[error("{} is a database of another program. Set RALPH_HOME to a folder of Ralph's own.", path.display())]
    Foreign { path: PathBuf },
    #[error("{} is empty: no Ralph has worked with it yet.", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{} is of an older version ({found}, this Ralph writes {VERSION}). Start the daemon of this \
         version once: it makes a backup and migrates it.", path.display()
    )]
    Older { path: PathBuf, found: u32 },
    #[error("{} is in use by another Ralph. Stop it first, or use another RALPH_HOME.", path.display())]
    InUse { path: PathBuf },
    #[error("the folder of {} cannot be written: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{} could not be {doing}", path.display())]
    Sql { path: PathBuf, doing: &'static str, source: rusqlite::Error },
    #[error(
        "the backup {} is not a faithful copy, so nothing was migrated. Free some disk space, move \
         backups that are no longer needed away, and try again.", path.display()
    )]
    Backup { path: PathBuf },
}

/// Takes the operating system's lock beside the database. It is released when the process ends, however that happens.
pub(super) fn lock(path: &Path) -> Result<File, OpenError> {
    let lock_path = path.with_extension("lock");
    let folder = |source| OpenError::Folder { path: path.to_owned(), source };
    let (mut maker, mut options) = (DirBuilder::new(), OpenOptions::new());
    maker.recursive(true);
    options.create(true).truncate(false).read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        maker.mode(0o700);
        options.mode(0o600);
    }
    if let Some(parent) = path.parent() {
        maker.create(parent).map_err(folder)?;
    }
    let file = options.open(&lock_path).map_err(folder)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(OpenError::InUse { path: path.to_owned() }),
        Err(std::fs::TryLockError::Error(source)) => Err(folder(source)),
    }
}

pub(super) fn open(path: &Path) -> Result<Connection, OpenError> {
    let sql = |doing| move |source| OpenError::Sql { path: path.to_owned(), doing, source };
    // This check is read-only: closing a normal connection would write the log that a killed program left.
    if std::fs::metadata(path).is_ok_and(|file| file.len() > 0) {
        inspect::recognise(&inspect::open(path)?, path)?;
    }
    make_private(path)?;
    let mut connection = Connection::open(path).map_err(sql("opened"))?;
    seal::register(&connection).map_err(sql("opened"))?;
    let found = inspect::version(&connection).map_err(sql("read"))?;
    if found > 0 && found < VERSION {
        back_up(&connection, path, found)?;
    }
    configure(&connection, "WAL").map_err(sql("configured"))?;
    migrate(&mut connection).map_err(sql("migrated"))?;
    Ok(connection)
}

/// Creates the file if it is missing, readable by its owner only. SQLite gives the files beside a database the same
/// mode; systems without modes have nothing to set. An existing file is not opened, because closing it would drop the
/// locks that SQLite holds on it in this process.
fn make_private(path: &Path) -> Result<(), OpenError> {
    let folder = |source| OpenError::Folder { path: path.to_owned(), source };
    if !path.exists() {
        File::create(path).map_err(folder)?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(folder)?;
    }
    Ok(())
}

/// Opens one of our databases for reading while a daemon may be writing it. The connection could write, so that it can
/// clean up the write-ahead log when it closes, but a pragma forbids it.
pub(super) fn open_read_only(path: &Path) -> Result<Connection, OpenError> {
    let inspected = inspect::open(path)?;
    let found = inspect::identify(&inspected, path)?;
    if found == 0 {
        return Err(OpenError::Empty { path: path.to_owned() });
    }
    inspect::rows(&inspected, path, (found, Extent::Present))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let writable = Connection::open_with_flags(path, flags).and_then(|connection| {
        seal::register(&connection)?;
        connection.pragma_update(None, "query_only", true).map(|()| connection)
    });
    Ok(writable.unwrap_or(inspected))
}

/// Opens a database to post into it beside a daemon. It is not migrated: that is the writer's job.
pub(super) fn open_to_post(path: &Path) -> Result<Connection, OpenError> {
    let sql =
        |source| OpenError::Sql { path: path.to_owned(), doing: "opened for posting", source };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let inspected = inspect::open(path)?;
    match inspect::identify(&inspected, path)? {
        VERSION => {
            inspect::rows(&inspected, path, (VERSION, Extent::Present))?;
            let connection = Connection::open_with_flags(path, flags).map_err(sql)?;
            seal::register(&connection).map_err(sql)?;
            Ok(connection)
        }
        0 => Err(OpenError::Empty { path: path.to_owned() }),
        found => Err(OpenError::Older { path: path.to_owned(), found }),
    }
}

thread_local! {
    /// An empty, migrated database. The simulator opens thousands, and copying one is quicker than parsing every
    /// migration.
    static EMPTY: OnceCell<Connection> = const { OnceCell::new() };
}

pub(super) fn open_in_memory() -> Result<Connection, OpenError> {
    let path = PathBuf::from(":memory:");
    EMPTY.with(copy_of_empty).map_err(|source| OpenError::Sql {
        path,
        doing: "opened in memory",
        source,
    })
}

fn copy_of_empty(empty: &OnceCell<Connection>) -> rusqlite::Result<Connection> {
    if empty.get().is_none() {
        let mut fresh = Connection::open_in_memory()?;
        seal::register(&fresh)?;
        migrate(&mut fresh)?;
        // The cell belongs to this thread, so it is still empty.
        empty.get_or_init(|| fresh);
    }
    let mut connection = Connection::open_in_memory()?;
    seal::register(&connection)?;
    if let Some(empty) = empty.get() {
        Backup::new(empty, &mut connection)?.step(-1)?;
    }
    configure(&connection, "MEMORY")?;
    Ok(connection)
}

/// Every transaction reaches the disk before it counts: losing the last ones would reset a counter.
fn configure(connection: &Connection, journal: &str) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.pragma_update(None, "journal_mode", journal)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Copies the database beside itself and verifies the copy before anything is changed. An existing file that is not
/// such a copy belongs to an earlier upgrade and stays.
fn back_up(connection: &Connection, path: &Path, found: u32) -> Result<(), OpenError> {
    for number in 1..=BACKUPS_MAX {
        let backup = backup_name(path, found, number);
        if !backup.exists() {
            return back_up_as(connection, backup);
        }
        if is_faithful(&backup, connection) {
            return Ok(());
        }
    }
    Err(OpenError::Backup { path: backup_name(path, found, BACKUPS_MAX) })
}

fn back_up_as(connection: &Connection, backup: PathBuf) -> Result<(), OpenError> {
    make_private(&backup)?;
    if let Err(source) = copy(connection, &backup) {
        // An incomplete copy is useless, and the space it takes may be what was missing.
        drop(std::fs::remove_file(&backup));
        return Err(OpenError::Sql { path: backup, doing: "written as a backup", source });
    }
    if is_faithful(&backup, connection) { Ok(()) } else { Err(OpenError::Backup { path: backup }) }
}

fn backup_name(path: &Path, found: u32, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".backup-v{found}"));
    if number > 1 {
        name.push(format!("-{number}"));
    }
    PathBuf::from(name)
}

/// True if the backup equals the original row by row.
fn is_faithful(backup: &Path, connection: &Connection) -> bool {
    inspect::open(backup).is_ok_and(|copy| {
        inspect::recognise(&copy, backup).is_ok() && is_same(&copy, connection).unwrap_or(false)
    })
}

fn is_same(one: &Connection, other: &Connection) -> rusqlite::Result<bool> {
    let tables = tables(one)?;
    if tables != self::tables(other)? {
        return Ok(false);
    }
    for table in tables {
        let all = format!("SELECT * FROM \"{table}\"");
        let (mut left, mut right) = (one.prepare(&all)?, other.prepare(&all)?);
        let columns = left.column_count();
        let (mut left, mut right) = (left.query(())?, right.query(())?);
        loop {
            match (left.next()?, right.next()?) {
                (None, None) => break,
                (Some(left), Some(right)) => {
                    for column in 0..columns {
                        if left.get_ref(column)? != right.get_ref(column)? {
                            return Ok(false);
                        }
                    }
                }
                (Some(_), None) | (None, Some(_)) => return Ok(false),
            }
        }
    }
    Ok(true)
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let read = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    connection.prepare(read)?.query_map((), |row| row.get(0))?.collect()
}

pub(super) fn copy(connection: &Connection, to: &Path) -> rusqlite::Result<()> {
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]).map(|_| ())
}

/// The tables of a version.
pub(super) fn schema_of_version(version: u32) -> rusqlite::Result<Vec<String>> {
    let fresh = Connection::open_in_memory()?;
    seal::register(&fresh)?;
    let count = usize::try_from(version).unwrap_or(usize::MAX);
    for migration in MIGRATIONS.iter().take(count) {
        fresh.execute_batch(migration)?;
    }
    inspect::shape(&fresh)
}

/// Brings the database to the current version in one transaction: all or nothing. The version is read inside it,
/// because a process that posts a command may have migrated it a moment ago.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = usize::try_from(inspect::version(&transaction)?).unwrap_or(usize::MAX);
    if done >= MIGRATIONS.len() {
        return Ok(());
    }
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::{MIGRATIONS, seal};
    use crate::store::inbox::posted;
    use rusqlite::Connection;

    #[test]
    fn commands_and_outcomes_of_the_fifth_version_become_json() {
        let connection = Connection::open_in_memory().unwrap();
        seal::register(&connection).unwrap();
        MIGRATIONS.iter().take(5).for_each(|it| connection.execute_batch(it).unwrap());
        let rows = [
            ("acme/app#7", "queue --fresh"),
            ("acme/app#8", "satisfy"),
            ("acme/app", "take-over"),
            ("*", "drain"),
        ];
        for row in rows {
            let post = "INSERT INTO inbox (at, issue, command, actor) VALUES (5, ?1, ?2, 'ann')";
            connection.execute(post, row).unwrap();
        }
        let put = "INSERT INTO outcome (id, at, issue, command, refused, seal)
                   VALUES (1, 5, 'acme/app#9', 'stop', 'no right', 0)";
        connection.execute(put, ()).unwrap();
        connection.execute_batch(MIGRATIONS[5]).unwrap();
        assert_eq!(seal::broken(&connection, 6, seal::Extent::Everything).unwrap(), None);
        let posted = posted(&connection).unwrap();
        let read = posted.iter().map(|it| (it.command.order.about(), it.command.order.name()));
        let before = rows.map(|(issue, command)| (issue.to_owned(), command.to_owned()));
        assert_eq!(read.collect::<Vec<_>>(), before);
        let (body, answer): (String, String) = connection
            .query_row("SELECT body, answer FROM outcome", (), |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let order: crate::local_command::Order = serde_json::from_str(&body).unwrap();
        assert_eq!((order.about(), order.name()), ("acme/app#9".to_owned(), "stop".to_owned()));
        assert_eq!(answer, r#"{"is":"refused","why":"no right"}"#);
    }
}
