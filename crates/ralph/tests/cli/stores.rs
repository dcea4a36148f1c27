//! Stores that cannot be read: each refused with its reason and exit code 4, and left exactly as they are.

use crate::home::{Home, Ran};
use crate::sample_store::sample_home;
use insta::assert_snapshot;
use ralph_engine::store::VERSION;

/// The place of the schema's version in SQLite's header.
const SCHEMA_VERSION: std::ops::Range<usize> = 60..64;
/// The place of the application's id in SQLite's header.
const APPLICATION_ID: std::ops::Range<usize> = 68..72;
/// A table of Ralph's, and one that this version does not know.
const TABLES: (&[u8; 8], &[u8; 8]) = (b"instance", b"dreaming");

const READS: [&[&str]; 3] =
    [&["status"], &["gates", "acme/widgets", "1"], &["explain", "acme/widgets", "1"]];
const POSTS: [&[&str]; 2] = [&["queue", "acme/widgets", "1"], &["stop", "acme/widgets", "1"]];

/// Plays every command; all must refuse alike and change nothing.
fn refusal(home: &Home) -> Ran {
    let before = home.files();
    let mut ran: Vec<_> = READS.iter().chain(&POSTS).map(|command| home.ralph(command)).collect();
    assert_eq!(home.files(), before, "a refused store is left as it is");
    assert!(ran.iter().all(|other| *other == ran[0]), "{ran:?}");
    assert_eq!((ran[0].code, ran[0].stdout.as_str()), (4, ""));
    ran.swap_remove(0)
}

/// Another number in the header.
fn patched(range: std::ops::Range<usize>, value: u32) -> Home {
    let home = sample_home();
    let mut bytes = std::fs::read(home.store()).unwrap();
    bytes[range].copy_from_slice(&value.to_be_bytes());
    std::fs::write(home.store(), bytes).unwrap();
    home
}

/// The same with other tables than ours.
fn unknown(range: std::ops::Range<usize>, value: u32) -> Home {
    let home = patched(range, value);
    let mut bytes = std::fs::read(home.store()).unwrap();
    let found = |bytes: &[u8]| bytes.windows(8).position(|part| part == TABLES.0);
    while let Some(at) = found(&bytes) {
        bytes[at..at + 8].copy_from_slice(TABLES.1);
    }
    std::fs::write(home.store(), bytes).unwrap();
    home
}

#[test]
fn a_header_that_contradicts_the_tables_is_damage_and_nothing_else() {
    for home in [patched(SCHEMA_VERSION, 999), patched(APPLICATION_ID, 7)] {
        let ran = refusal(&home);
        assert!(
            ran.stderr.contains("is damaged: its tables are those of version"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_home_without_a_store() {
    assert_snapshot!(refusal(&Home::empty()).shown(), @"
    exit 4
    --- stdout
    --- stderr
    Error: there is no state store at HOME/state.sqlite
    Hint: the first `ralph run` makes it; --home DIR or RALPH_HOME names another folder
    ");
}

#[test]
fn a_home_that_does_not_exist_is_not_made() {
    let home = Home::empty();
    let missing = home.path().join("missing");
    let ran = home.ralph(&["status", "--home", &missing.display().to_string()]);
    assert_eq!(ran.code, 4);
    assert!(ran.stderr.contains("there is no state store at HOME/missing/state.sqlite"));
    assert!(!missing.exists());
}

#[test]
fn a_store_of_a_newer_version() {
    let shown = refusal(&unknown(SCHEMA_VERSION, 999)).shown();
    let known = format!("up to {VERSION})");
    assert_snapshot!(shown.replace(&known, "up to OURS)"), @"
    exit 4
    --- stdout
    --- stderr
    Error: HOME/state.sqlite was written by a newer Ralph (version 999, this one knows up to OURS). Run that newer Ralph.
    ");
}

#[test]
fn a_database_of_another_program() {
    assert_snapshot!(refusal(&unknown(APPLICATION_ID, 7)).shown(), @"
    exit 4
    --- stdout
    --- stderr
    Error: HOME/state.sqlite is a database of another program. Set RALPH_HOME to a folder of Ralph's own.
    ");
}

#[test]
fn a_file_that_is_no_database() {
    let home = Home::empty();
    std::fs::write(home.store(), "once upon a time\n".repeat(400)).unwrap();
    assert_snapshot!(refusal(&home).shown(), @"
    exit 4
    --- stdout
    --- stderr
    Error: HOME/state.sqlite is damaged: file is not a database. It was left untouched. There is no backup beside it: move it away and start without it: after `ralph take-over owner/name` labels and pull requests on the forge are taken up again.
    ");
}

#[test]
fn a_store_with_its_second_half_missing() {
    let home = sample_home();
    let bytes = std::fs::read(home.store()).unwrap();
    std::fs::write(home.store(), &bytes[..bytes.len() / 2]).unwrap();
    let ran = refusal(&home);
    assert!(ran.stderr.contains("is damaged"), "{}", ran.stderr);
}

#[test]
fn reading_changes_and_makes_nothing() {
    let home = sample_home();
    let before = home.files();
    for command in READS {
        assert_eq!(home.ralph(command).code, 0);
    }
    assert_eq!(home.files(), before);
}
