//! The dealings of a daemon and the command line: notifications, and what the daemon says of
//! itself.

use crate::home::{Home, Ran, run};
use crate::sample_store::{SampleStore, sample_home};
use insta::assert_snapshot;
use ralph_cli::daemon_status::{Budget, DaemonStatus, Degraded, DegradedKind, Workers};
use ralph_cli::notify::{ListenError, listen, notify};
use ralph_cli::writer_lock;
use ralph_core::time::{Span, Time};
use ralph_engine::store::Store;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::Duration;

/// Long enough for a nudge on a busy machine to arrive; a test that passes never waits for it.
const PATIENCE: Option<Duration> = Some(Duration::from_secs(20));
const NO_TIME: Option<Duration> = Some(Duration::from_millis(1));

fn at(home: &Home) -> ralph_cli::home::Home {
    ralph_cli::home::Home::at(home.path().to_owned())
}

/// 2024-01-01: long ago, so that times are shown as dates.
const LONG_AGO: Time = Time(1_704_067_200_000);
/// 3000-01-01: what is said then is never too old.
const FAR_AHEAD: Time = Time(32_503_680_000_000);

fn status() -> DaemonStatus {
    status_from(LONG_AGO)
}

fn status_from(started: Time) -> DaemonStatus {
    DaemonStatus {
        pid: 4242,
        started,
        heartbeat: started.plus(Span::from_mins(5)),
        workers: Workers { busy: 1, max: 6 },
        budget: Some(Budget {
            remaining: 4_000,
            limit: 5_000,
            resets: started.plus(Span::from_mins(60)),
        }),
        degraded: vec![
            Degraded {
                kind: DegradedKind::Effects,
                what: "acme/widgets".to_owned(),
                why: "secondary rate limit\u{1b}[2J".to_owned(),
                since: Some(started.plus(Span::from_mins(2))),
                until: Some(started.plus(Span::from_mins(6))),
            },
            degraded(DegradedKind::Forge, "webhooks", "port in use"),
            degraded(DegradedKind::Configuration, "config.toml", "has a line of its own"),
        ],
        config_error: Some("config.toml has a problem".to_owned()),
        config_error_since: Some(started.plus(Span::from_mins(4))),
        sandbox: None,
        untested_agents: Vec::new(),
        restart_needed: vec!["forge.url".to_owned()],
    }
}

fn degraded(kind: DegradedKind, what: &str, why: &str) -> Degraded {
    Degraded::new(kind, what.to_owned(), why.to_owned(), None)
}

#[test]
fn every_command_nudges_the_daemon() {
    let home = sample_home();
    let sample = SampleStore::begin(&home);
    let listener = listen(&at(&home), sample.engine.store().unwrap()).unwrap();
    for command in [
        &["queue", "acme/widgets", "1"][..],
        &["pause", "acme/widgets", "1"],
        &["stop", "acme/widgets", "1"],
        &["satisfy", "acme/widgets", "1"],
        &["drain"],
        &["resume"],
    ] {
        let ran = home.ralph(command);
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
        assert!(
            ran.stdout.contains("daemon") && !ran.stdout.contains("No daemon"),
            "{}",
            ran.stdout
        );
        assert!(listener.wait(PATIENCE).unwrap(), "{command:?}");
        assert!(!listener.wait(NO_TIME).unwrap(), "{command:?} nudges once");
    }
    let socket = at(&home).socket();
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    drop(listener);
    assert!(!socket.exists());
    assert!(!notify(&at(&home)));
}

#[test]
fn many_nudges_are_one_and_nobody_waits_when_the_listener_is_full() {
    let home = sample_home();
    let sample = SampleStore::begin(&home);
    let listener = listen(&at(&home), sample.engine.store().unwrap()).unwrap();
    for _ in 0..5_000 {
        assert!(notify(&at(&home)));
    }
    assert!(listener.wait(PATIENCE).unwrap());
    assert!(!listener.wait(NO_TIME).unwrap());
}

#[test]
fn a_socket_left_behind_is_replaced_and_anything_else_is_not() {
    let home = sample_home();
    drop(UnixDatagram::bind(at(&home).socket()).unwrap());
    assert!(!notify(&at(&home)), "nobody listens there");
    let sample = SampleStore::begin(&home);
    let store = sample.engine.store().unwrap();
    drop(listen(&at(&home), store).unwrap());
    std::fs::write(at(&home).socket(), "precious").unwrap();
    assert!(matches!(listen(&at(&home), store), Err(ListenError::NotASocket { .. })));
    assert_eq!(std::fs::read_to_string(at(&home).socket()).unwrap(), "precious");
}

#[test]
fn only_the_writer_of_a_home_may_listen_there() {
    let (home, other) = (sample_home(), sample_home());
    let writer = SampleStore::begin(&other);
    let refused = listen(&at(&home), writer.engine.store().unwrap());
    assert!(matches!(refused, Err(ListenError::NotTheWriter { .. })), "{refused:?}");
    assert!(listen(&at(&home), &Store::in_memory().unwrap()).is_err());
}

#[test]
fn a_home_with_a_name_too_long_for_a_socket_works_like_any_other() {
    let home = Home::empty();
    let long = home.path().join("a".repeat(120));
    std::fs::create_dir(&long).unwrap();
    let within = ralph_cli::home::Home::at(long.clone());
    let store = {
        let _guard = crate::home::no_process();
        Store::open(&within.store()).unwrap()
    };
    let listener = listen(&within, &store).unwrap();
    assert!(within.socket().exists());
    let ran = ralph_at(&long, &["drain"]);
    assert!(ran.stdout.contains("The daemon finishes what runs."), "{ran:?}");
    assert!(listener.wait(PATIENCE).unwrap());
}

fn ralph_at(home: &Path, arguments: &[&str]) -> Ran {
    run(crate::home::program().env("RALPH_HOME", home).args(arguments))
}

/// The text after the list of issues.
fn reported(home: &Home) -> String {
    let shown = home.ralph(&["status"]).stdout;
    let reported: Vec<_> = shown.lines().skip_while(|line| !line.starts_with("At work")).collect();
    reported.join("\n")
}

#[test]
fn what_a_daemon_says_is_shown_while_it_runs() {
    let home = sample_home();
    status_from(FAR_AHEAD).write(&at(&home)).unwrap();
    let writer = SampleStore::begin(&home);
    assert!(writer_lock::is_held(&at(&home)).unwrap());
    assert_snapshot!(reported(&home), @"
    At work: acme/widgets#1 implement, starting
    Workers: 1 of 6 busy
    Forge budget: 4000 of 5000 requests left, full again 3000-01-01 01:00Z
    Degraded: acme/widgets: secondary rate limit [2J (since 3000-01-01 00:02Z); tried again 3000-01-01 00:06Z
    Degraded: webhooks: port in use
    The configuration in the file is not in force since 3000-01-01 00:04Z: config.toml has a problem
    In the file, and in force after a restart: forge.url
    A daemon runs: process 4242, started 3000-01-01 00:00Z, last active 3000-01-01 00:05Z.
    ");
    let document = home.ralph(&["status", "--json"]).json();
    assert_eq!(document["workers"]["max"], 6);
    assert_eq!(document["workers"]["running"][0]["issue"], "acme/widgets#1");
    assert_eq!(document["budget"]["remaining"], 4_000);
    assert_eq!(document["degraded"][1]["what"], "webhooks");
    assert_eq!(document["daemon"]["running"], true);
    assert_eq!(document["daemon"]["silent"], false);
    drop(writer);
}

#[test]
fn a_daemon_that_says_nothing_any_more_is_told_as_such() {
    let home = sample_home();
    status().write(&at(&home)).unwrap();
    let writer = SampleStore::begin(&home);
    assert_snapshot!(reported(&home), @"
    At work: acme/widgets#1 implement, starting
    Workers: 1 of 6 busy
    Forge budget: 5000 requests, full again since 2024-01-01 01:00Z
    Degraded: acme/widgets: secondary rate limit [2J (since 2024-01-01 00:02Z); tried again now
    Degraded: webhooks: port in use
    The configuration in the file is not in force since 2024-01-01 00:04Z: config.toml has a problem
    In the file, and in force after a restart: forge.url
    A daemon runs, but says nothing: process 4242, started 2024-01-01 00:00Z, last active 2024-01-01 00:05Z. If it stays silent, look for a full disk, or end it and start it again; nothing is lost.
    ");
    assert_eq!(home.ralph(&["status", "--json"]).json()["daemon"]["silent"], true);
    drop(writer);
}

#[test]
fn what_a_daemon_said_before_it_ended_is_not_taken_for_the_present() {
    let home = sample_home();
    status().write(&at(&home)).unwrap();
    assert!(!writer_lock::is_held(&at(&home)).unwrap());
    let shown = home.ralph(&["status"]).stdout;
    assert!(
        shown.ends_with(
            "No daemon runs; the last one, process 4242, was last active 2024-01-01 00:05Z.\n"
        ),
        "{shown}"
    );
    let document = home.ralph(&["status", "--json"]).json();
    assert_eq!(document["daemon"]["running"], false);
    assert_eq!(document["degraded"].as_array().unwrap().len(), 0);
    assert!(document["budget"].is_null() && document["workers"]["max"].is_null());
    assert_eq!(document["workers"]["busy"], 0);
}

#[test]
fn it_is_written_whole_for_its_owner_alone_and_read_back() {
    let home = Home::empty();
    status().write(&at(&home)).unwrap();
    assert_eq!(DaemonStatus::read(&at(&home)).unwrap(), Some(status()));
    let later = DaemonStatus { degraded: Vec::new(), ..status() };
    later.write(&at(&home)).unwrap();
    assert_eq!(DaemonStatus::read(&at(&home)).unwrap(), Some(later));
    let names: Vec<_> = home.files().into_keys().collect();
    assert_eq!(names, ["daemon.json"]);
    let mode = std::fs::metadata(at(&home).daemon_status()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    std::fs::write(at(&home).daemon_status(), "{").unwrap();
    assert!(DaemonStatus::read(&at(&home)).is_err());
}
