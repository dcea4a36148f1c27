//! The data folder: private, held by one server, and never written over when it is not understood.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ralph_forge::{Options, Running};

use crate::test_server::{TestServer, options};

fn refused(options: Options) -> String {
    Running::start(options).expect_err("it should not start").to_string()
}

#[test]
fn a_second_server_on_one_folder_is_told_who_holds_it() {
    let server = TestServer::empty();
    let words = refused(options(&server.place("data")));
    assert!(
        words.contains(&format!("process {} at {}", std::process::id(), server.base())),
        "{words}"
    );
}

#[test]
fn an_address_in_use_is_named() {
    let server = TestServer::empty();
    let listen = server.base().strip_prefix("http://").unwrap().parse().unwrap();
    let words = refused(Options { listen, ..Options::default() });
    assert!(words.starts_with(&format!("{listen} is in use")), "{words}");
}

#[test]
fn everything_is_private_to_its_user() {
    let (mut server, _work) = TestServer::new();
    server.stop();
    let data = server.place("data");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("git")), 0o700);
    for file in ["forge.sqlite", "lock"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}

#[test]
fn a_folder_without_a_name_is_gone_afterwards() {
    let running = Running::start(Options::default()).unwrap();
    let pid = std::process::id();
    let held = |path: &Path| {
        std::fs::read_to_string(path.join("lock"))
            .is_ok_and(|note| note == format!("process {pid} at {}", running.url))
    };
    let mut entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
    let folder = entries.find_map(|entry| Some(entry.unwrap().path()).filter(|path| held(path)));
    let folder = folder.unwrap();
    running.stop();
    assert!(!folder.exists());
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let mut server = TestServer::empty();
    server.stop();
    let file = server.place("data/forge.sqlite");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let before = std::fs::read(&file).unwrap();
    let words = refused(options(&server.place("data")));
    assert!(words.contains("newer version (format 99"), "{words}");
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_damaged_file_is_reported_and_left_alone() {
    let mut server = TestServer::empty();
    server.stop();
    let file = server.place("data/forge.sqlite");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xAB);
    std::fs::write(&file, &bytes).unwrap();
    let words = refused(options(&server.place("data")));
    assert!(words.contains("is damaged"), "{words}");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

#[test]
fn a_database_of_another_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("forge.sqlite")).unwrap();
    database.execute_batch("create table other (a)").unwrap();
    drop(database);
    let words = refused(options(folder.path()));
    assert!(words.contains("belongs to another program"), "{words}");
}

#[test]
fn logins_that_github_does_not_take_are_refused() {
    for owner in ["", "a b", "-a", "a--b", "a/b"] {
        let words = refused(Options { owner: owner.to_owned(), ..Options::default() });
        assert!(words.contains("is no login"), "{words}");
    }
    let bot = "owner".to_owned();
    assert!(refused(Options { bot, ..Options::default() }).contains("different logins"));
}
