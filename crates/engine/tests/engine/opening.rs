//! A file in the place of the database is created, migrated after a backup, or refused untouched with a message that
//! says what to do.

use crate::harness::{Harness, look};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::Issue;
use ralph_engine::store::{OpenError, Reader, Store, VERSION};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

const FIRST_VERSION: &str = include_str!("../../migrations/0001_foundation.sql");
const SECOND_VERSION: &str = include_str!("../../migrations/0002_inbox_and_cursors.sql");
/// "RLPH"
const OURS: i32 = 0x524C_5048;
/// Enough rows for the database to have inner pages, not only leaves.
const ISSUES: u64 = 300;
const ROWS: &str = "SELECT repo, number, state, managed FROM issue ORDER BY number";
const FACTS: &str = "SELECT seq, at, version, subject, body FROM fact ORDER BY seq";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("state.db")
    }

    fn beside(&self, ending: &str) -> PathBuf {
        self.0.path().join(format!("state.db{ending}"))
    }
}

/// Writes a database as the first version of the schema had it.
fn first_version(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(FIRST_VERSION).unwrap();
    connection.pragma_update(None, "application_id", OURS).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let repo = RepoName::parse("acme/widgets").unwrap();
    let state = serde_json::to_string(&Issue::default()).unwrap();
    connection.execute_batch("BEGIN").unwrap();
    for number in 1..=ISSUES {
        let insert = "INSERT INTO issue (repo, number, state, managed) VALUES (?1, ?2, ?3, 0)";
        connection.execute(insert, (repo.as_str(), number, &state)).unwrap();
        let key = IssueKey::new(repo.clone(), number);
        let body = Fact::of(key.clone(), What::Seen(Observation::Gone));
        let body = serde_json::to_string(&body).unwrap();
        let insert = "INSERT INTO fact (at, version, subject, body) VALUES (?1, 1, ?2, ?3)";
        connection.execute(insert, (number, key.to_string(), body)).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
}

/// A closed database of the current version, with rows.
fn present_version(path: &Path) {
    first_version(path);
    Store::open(path).unwrap();
}

/// Turns a database into one of a future version, with a table that this version does not know.
fn set_version(path: &Path, version: u32) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("CREATE TABLE IF NOT EXISTS dream (text TEXT)").unwrap();
    connection.pragma_update(None, "user_version", version).unwrap();
}

fn version_of(path: &Path) -> Vec<String> {
    look(&Connection::open(path).unwrap(), "PRAGMA user_version")
}

/// Opens a file that must be refused, and checks that it is unchanged afterwards.
fn refused(path: &Path) -> OpenError {
    let before = std::fs::read(path).unwrap();
    let error = Store::open(path).expect_err("this must not open");
    assert!(std::fs::read(path).unwrap() == before, "the file was changed");
    error
}

#[test]
#[cfg(unix)]
fn nobody_else_may_read_what_is_made() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = Folder::new();
    first_version(&folder.path());
    let _older = Store::open(&folder.path()).unwrap();
    assert_eq!(mode(folder.beside(".backup-v1")), 0o600);

    let folder = Folder::new();
    let _new = Store::open(&folder.path()).unwrap();
    for ending in ["", "-wal", "-shm"] {
        assert_eq!(mode(folder.beside(ending)), 0o600, "state.db{ending}");
    }

    let folder = Folder::new();
    let home = folder.0.path().join("home");
    let _in_a_new_folder = Store::open(&home.join("state.db")).unwrap();
    assert_eq!(mode(home.clone()), 0o700);
    assert_eq!(mode(home.join("state.lock")), 0o600);
}

#[test]
fn an_older_database_is_backed_up_and_migrated() {
    let folder = Folder::new();
    first_version(&folder.path());
    let tables = |path: &Path| {
        let connection = Connection::open(path).unwrap();
        (look(&connection, ROWS), look(&connection, FACTS))
    };
    let before = tables(&folder.path());

    let store = Store::open(&folder.path()).unwrap();
    assert_eq!(store.world().unwrap().issues().count() as u64, ISSUES);
    assert_eq!(store.journal_after(0).unwrap().len() as u64, ISSUES);
    drop(store);
    assert_eq!(tables(&folder.path()), before);
    assert_eq!(version_of(&folder.path()), [VERSION.to_string()]);

    let backup = folder.beside(".backup-v1");
    assert_eq!(tables(&backup), before);
    assert_eq!(version_of(&backup), ["1"]);
    let inbox = "SELECT name FROM sqlite_schema WHERE name = 'inbox'";
    assert!(look(&Connection::open(&backup).unwrap(), inbox).is_empty());
    assert_eq!(look(&Connection::open(folder.path()).unwrap(), inbox), ["inbox"]);
}

#[test]
fn who_we_are_is_kept_in_a_database_that_knew_nothing_of_it() {
    let folder = Folder::new();
    first_version(&folder.path());
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch(SECOND_VERSION).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    drop(connection);
    let (forge, other) = ("https://api.github.com", "http://127.0.0.1:3000");
    let mut store = Store::open(&folder.path()).unwrap();
    assert_eq!(version_of(&folder.beside(".backup-v2")), ["2"]);
    assert_eq!(store.identity(forge).unwrap(), None);
    store.keep_identity(forge, &Login::new("ralph-bot")).unwrap();
    store.keep_identity(forge, &Login::new("ralph-two")).unwrap();
    drop(store);
    let store = Store::open(&folder.path()).unwrap();
    assert_eq!(store.identity(forge).unwrap(), Some(Login::new("ralph-two")));
    assert_eq!(store.identity(other).unwrap(), None);
    assert_eq!(store.world().unwrap().issues().count() as u64, ISSUES);
}

#[test]
fn a_backup_that_is_there_already_is_kept() {
    for earlier in ["half a backup".to_owned(), String::new()] {
        let folder = Folder::new();
        first_version(&folder.path());
        std::fs::write(folder.beside(".backup-v1"), &earlier).unwrap();
        Store::open(&folder.path()).unwrap();
        let kept = std::fs::read(folder.beside(".backup-v1")).unwrap();
        assert_eq!(String::from_utf8(kept).unwrap(), earlier);
        assert_eq!(version_of(&folder.beside(".backup-v1-2")), ["1"]);
    }
}

#[test]
fn a_present_database_needs_no_backup() {
    let folder = Folder::new();
    present_version(&folder.path());
    std::fs::remove_file(folder.beside(".backup-v1")).unwrap();
    Store::open(&folder.path()).unwrap();
    let names = std::fs::read_dir(folder.0.path()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.contains("backup")));
}

#[test]
fn a_newer_database_is_refused_with_what_to_do() {
    let folder = Folder::new();
    present_version(&folder.path());
    set_version(&folder.path(), 99);
    let error = refused(&folder.path());
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error:?}");
    let message = error.to_string().replace(&folder.path().display().to_string(), "<path>");
    insta::assert_snapshot!(message, @"<path> was written by a newer Ralph (version 99, this one knows up to 6). Run that newer Ralph, or copy <path>.backup-v1 to its place, which is from before an upgrade.");
    assert!(matches!(Reader::open(&folder.path()), Err(OpenError::Newer { .. })));
}

/// A killed program leaves its last transactions beside the database, and they stay there.
#[test]
fn a_newer_database_whose_writer_was_killed_is_left_as_it_is() {
    let living = Folder::new();
    present_version(&living.path());
    let writer = Connection::open(living.path()).unwrap();
    writer.execute_batch("CREATE TABLE dream (text TEXT)").unwrap();
    writer.pragma_update(None, "user_version", 99).unwrap();
    let folder = Folder::new();
    for ending in ["", "-wal"] {
        std::fs::copy(living.beside(ending), folder.beside(ending)).unwrap();
    }
    let log = std::fs::read(folder.beside("-wal")).unwrap();
    assert!(!log.is_empty());
    let error = refused(&folder.path());
    assert!(matches!(error, OpenError::Newer { found: 99, .. }), "{error:?}");
    assert!(std::fs::read(folder.beside("-wal")).unwrap() == log);
}

/// A damaged number in the header must not advise a newer Ralph or another folder.
#[test]
fn a_header_that_lies_about_our_own_tables_is_damaged() {
    for (pragma, value) in [("user_version", 99), ("user_version", 2), ("application_id", 7)] {
        let folder = Folder::new();
        present_version(&folder.path());
        Connection::open(folder.path()).unwrap().pragma_update(None, pragma, value).unwrap();
        let error = refused(&folder.path());
        assert!(matches!(error, OpenError::Damaged { .. }), "{pragma} = {value}: {error:?}");
        assert!(matches!(Reader::open(&folder.path()), Err(OpenError::Damaged { .. })));
    }
}

#[test]
fn a_file_that_is_no_database_is_damaged_and_not_overwritten() {
    let folder = Folder::new();
    std::fs::write(folder.path(), "Dear diary,\n".repeat(1_000)).unwrap();
    let error = refused(&folder.path());
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
    let message = error.to_string().replace(&folder.path().display().to_string(), "<path>");
    insta::assert_snapshot!(message, @"<path> is damaged: file is not a database. It was left untouched. There is no backup beside it: move it away and start without it: after `ralph take-over owner/name` labels and pull requests on the forge are taken up again.");
}

#[test]
fn a_backup_is_advised_only_if_it_is_there_and_whole() {
    let folder = Folder::new();
    drop(Store::open(&folder.beside(".backup-v1")).unwrap());
    std::fs::write(folder.beside(".backup-v2"), "half a backup ".repeat(100)).unwrap();
    std::fs::write(folder.path(), "Dear diary,\n".repeat(1_000)).unwrap();
    let message = refused(&folder.path()).to_string();
    let whole = folder.beside(".backup-v1").display().to_string();
    assert!(message.contains(&format!("copy {whole} to its place")), "{message}");
    std::fs::remove_file(whole).unwrap();
    let message = refused(&folder.path()).to_string();
    assert!(message.contains("There is no backup beside it"), "{message}");
}

#[test]
fn a_truncated_database_is_damaged_and_not_overwritten() {
    let whole = Folder::new();
    present_version(&whole.path());
    let bytes = std::fs::read(whole.path()).unwrap();
    for kept in [1, 100, 4_096, bytes.len() / 2, bytes.len() / 2 + 77, bytes.len() - 4_096] {
        let folder = Folder::new();
        std::fs::write(folder.path(), &bytes[..kept]).unwrap();
        let error = refused(&folder.path());
        assert!(matches!(error, OpenError::Damaged { .. }), "{kept} bytes kept: {error:?}");
    }
}

#[test]
fn a_database_with_an_overwritten_page_is_damaged_and_not_overwritten() {
    const PAGE: usize = 4_096;
    let whole = Folder::new();
    present_version(&whole.path());
    let bytes = std::fs::read(whole.path()).unwrap();
    for page in 1..bytes.len() / PAGE {
        let folder = Folder::new();
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xA5);
        std::fs::write(folder.path(), damaged).unwrap();
        let error = refused(&folder.path());
        assert!(matches!(error, OpenError::Damaged { .. }), "page {page}: {error:?}");
    }
}

#[test]
fn a_database_of_another_program_is_refused_untouched() {
    for mode in ["DELETE", "WAL"] {
        let folder = Folder::new();
        let connection = Connection::open(folder.path()).unwrap();
        connection.pragma_update(None, "journal_mode", mode).unwrap();
        connection.execute_batch("CREATE TABLE recipe (name TEXT)").unwrap();
        drop(connection);
        let error = refused(&folder.path());
        assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
        assert!(error.to_string().contains("RALPH_HOME"), "{error}");
        assert!(matches!(Reader::open(&folder.path()), Err(OpenError::Foreign { .. })));
    }
}

#[test]
fn a_second_opener_is_refused_until_the_first_is_gone() {
    let folder = Folder::new();
    let first = Store::open(&folder.path()).unwrap();
    let second = Store::open(&folder.path());
    assert!(matches!(second, Err(OpenError::InUse { .. })), "{second:?}");
    drop(first);
    Store::open(&folder.path()).unwrap();
}

#[test]
fn a_reader_works_while_a_writer_is_open_and_when_none_is() {
    let mut harness = Harness::new();
    let reader = harness.reader();
    assert!(reader.status().unwrap().issues.is_empty());
    harness.forge.opens(&crate::harness::key(7), "Add a flag", "");
    harness.forge.labels(&crate::harness::key(7), crate::hand_forge::QUEUED);
    harness.round();
    assert_eq!(reader.status().unwrap().issues.len(), 1);
    drop(reader);
    harness.dies();
    assert_eq!(harness.reader().status().unwrap().issues.len(), 1);
}

#[test]
fn a_reader_makes_no_database_where_there_is_none() {
    let folder = Folder::new();
    assert!(Reader::open(&folder.path()).is_err());
    assert!(!folder.path().exists());
}
