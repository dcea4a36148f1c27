//! A store with a flipped bit: it is refused and left unchanged, or it is as good as before.

use crate::harness::{Harness, key, look};
use crate::whole_run::finished_run;
use ralph_core::command::{Command, Manner};
use ralph_core::ids::Login;
use ralph_core::time::Time;
use ralph_engine::local_command::LocalCommand;
use ralph_engine::store::{OpenError, Reader, Store, StoreError, post_command};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// The header of an SQLite file; every bit of it is flipped.
const HEADER_BYTES: usize = 100;
/// Number of bits drawn from the rest of the file.
const DRAWN: u64 = 400;
const PAGE: usize = 4_096;

/// A closed store with rows in most tables.
fn store() -> (Harness, PathBuf) {
    let mut harness = finished_run();
    for number in 8..40 {
        harness.forge.opens(&key(number), "Another flag", &"It should be there. ".repeat(40));
        harness.forge.labels(&key(number), crate::hand_forge::QUEUED);
    }
    harness.forge.labels(&key(9), "ralph:cmd:stop");
    let _under_way = harness.leases_next("");
    let (path, now) = (harness.path(), harness.now);
    harness.dies();
    let mut store = Store::open(&path).unwrap();
    store.keep_identity("https://api.github.com", &Login::new("ralph-bot")).unwrap();
    drop(store);
    post(&path, now, 9);
    (harness, path)
}

fn post(path: &Path, now: Time, number: u64) {
    let given = (Command::Stop, Manner::Plain);
    let command = LocalCommand::on_issue(key(number), given, Login::new("ann"));
    post_command(path, now, &command).unwrap();
}

/// The same with at least one row in every table.
fn store_with_every_table() -> (Harness, PathBuf) {
    let (mut harness, path) = store();
    harness.opens();
    let now = harness.now;
    harness.engine().take_inbox(now).unwrap();
    harness.dies();
    post(&path, now, 10);
    Store::open(&path).unwrap().instance().unwrap();
    for table in tables(&Connection::open(&path).unwrap()) {
        let rows = look(&Connection::open(&path).unwrap(), &format!("SELECT 1 FROM {table}"));
        assert!(!rows.is_empty(), "{table} is empty");
    }
    (harness, path)
}

fn tables(connection: &Connection) -> Vec<String> {
    let all = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut tables = look(connection, all);
    tables.retain(|name| name != "sqlite_sequence");
    tables
}

/// All rows of all tables.
fn content(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let tables = tables(&connection);
    tables.iter().flat_map(|name| look(&connection, &format!("SELECT * FROM {name}"))).collect()
}

/// Flips a bit. A store that opens must have its content; a store that is refused must be unchanged.
fn flip(bytes: &[u8], bit: usize, expected: &[String]) -> &'static str {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let mut damaged = bytes.to_vec();
    damaged[bit / 8] ^= 1 << (bit % 8);
    std::fs::write(&path, &damaged).unwrap();
    let place = format!("bit {} of byte {} (page {})", bit % 8, bit / 8, bit / 8 / PAGE + 1);
    match Store::open(&path) {
        Ok(store) => {
            drop(store);
            assert!(content(&path) == expected, "{place} was not noticed");
            "harmless"
        }
        Err(error) => {
            assert!(matches!(error, OpenError::Damaged { .. }), "{place}: {error:?}");
            assert!(std::fs::read(&path).unwrap() == damaged, "{place}: the file was changed");
            let beside = std::fs::read_dir(folder.path()).unwrap().flatten();
            let beside: Vec<_> = beside.map(|entry| entry.file_name()).collect();
            assert!(
                !beside.iter().any(|name| name.to_string_lossy().contains("backup")),
                "{beside:?}"
            );
            "refused"
        }
    }
}

#[test]
fn every_flipped_bit_is_refused_untouched_or_harmless() {
    let (_desk, path) = store();
    let (bytes, expected) = (std::fs::read(&path).unwrap(), content(&path));
    let mut counts = std::collections::BTreeMap::new();
    let header = 0..HEADER_BYTES * 8;
    let mut state = 0x5EED_u64;
    let drawn = (0..DRAWN).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        HEADER_BYTES * 8 + (state >> 33) as usize % ((bytes.len() - HEADER_BYTES) * 8)
    });
    for bit in header.chain(drawn) {
        *counts.entry(flip(&bytes, bit, &expected)).or_insert(0) += 1;
    }
    println!("{} pages: {counts:?}", bytes.len() / PAGE);
    assert!(counts["refused"] > counts["harmless"] / 2, "{counts:?}");
}

#[test]
fn every_column_of_every_row_is_held_against_its_digest() {
    let (_desk, path) = store_with_every_table();
    let connection = Connection::open(&path).unwrap();
    let mut untried = tables(&connection);
    for (table, column, value) in [
        ("issue", "state", "'{}'"),
        ("issue", "managed", "1 - managed"),
        ("repo", "state", "'{}'"),
        ("fact", "at", "at + 1"),
        ("fact", "subject", "'acme/widgets#77'"),
        ("fact", "body", "body || ' '"),
        ("outbox", "tries", "tries + 1"),
        ("outbox", "wanted", "1 - wanted"),
        ("outbox", "due", "due + 1"),
        ("verdict", "since", "since + 1"),
        ("lease", "token", "token + 1"),
        ("lease", "expires", "expires + 1"),
        ("blob", "text", "text || '!'"),
        ("inbox", "body", "body || ' '"),
        ("inbox", "key", "'other'"),
        ("cursor", "since", "since + 1"),
        ("identity", "login", "'eve'"),
        ("instance", "id", "'another'"),
        ("outcome", "at", "at + 1"),
        ("outcome", "body", "body || ' '"),
        ("outcome", "answer", "'{}'"),
        ("request", "content", "content || '!'"),
        ("request", "times", "'[]'"),
        ("request", "holds", "holds + 1"),
        ("request", "until", "until + 1"),
    ] {
        untried.retain(|name| name != table);
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("state.db");
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()]).unwrap();
        let other = Connection::open(&copy).unwrap();
        other.execute(&format!("UPDATE {table} SET {column} = {value}"), ()).unwrap();
        drop(other);
        let error = Store::open(&copy).unwrap_err().to_string();
        assert!(error.contains("does not match its digest"), "{table}.{column}: {error}");
        assert!(error.contains("There is no backup beside it"), "{error}");
        match Reader::open(&copy) {
            Err(error) => assert!(error.to_string().contains("digest"), "{table}: {error}"),
            Ok(reader) => {
                assert!(["fact", "blob"].contains(&table), "{table}.{column} was believed");
                assert!(reader.damage().unwrap().unwrap().contains("digest"));
                let told = reader.explain(&key(7));
                let is_named = matches!(told, Err(StoreError::Damaged { .. }));
                assert!(is_named || table == "blob" || column == "subject", "{table}.{column}");
            }
        }
    }
    assert_eq!(untried, [""; 0], "every table has a column here");
}

#[test]
fn the_backup_that_is_there_is_named() {
    let (_desk, path) = store();
    let folder = path.parent().unwrap();
    for name in
        ["state.db.backup-v2", "state.db.backup-v3", "state.db.backup-v3-2", "state.db.backup-vx"]
    {
        std::fs::copy(&path, folder.join(name)).unwrap();
    }
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[PAGE * 3..PAGE * 4].fill(7);
    std::fs::write(&path, bytes).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("state.db.backup-v3-2 to its place"), "{error}");
}
