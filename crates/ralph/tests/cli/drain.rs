//! `ralph drain` and `ralph resume`.

use crate::home::Home;
use crate::sample_store::{SampleStore, sample_home};
use insta::assert_snapshot;

#[test]
fn draining_holds_until_it_is_taken_back_whoever_writes_meanwhile() {
    let home = sample_home();
    let ran = home.ralph(&["drain"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.starts_with("Nothing new is claimed or started, as mia asked "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("No daemon listens; the next one will start nothing."));
    for _ in 0..2 {
        let mut sample = SampleStore::begin(&home);
        sample.take_inbox();
        let held = sample.engine.store().unwrap().draining().unwrap().unwrap();
        assert_eq!(held.by.as_str(), "mia");
    }
    let status = home.ralph(&["status", "--json"]).json();
    assert_eq!(status["draining"]["by"], "mia");
    assert_eq!(status["inbox"].as_array().unwrap().len(), 0, "it waits for nobody");
    assert!(
        home.ralph(&["status"]).stdout.contains("Draining: nothing new is started, as mia asked ")
    );
    assert_eq!(home.ralph(&["resume"]).code, 0);
    assert!(home.ralph(&["status", "--json"]).json()["draining"].is_null());
    assert!(SampleStore::begin(&home).engine.store().unwrap().draining().unwrap().is_none());
}

#[test]
fn asking_twice_is_asking_once() {
    let home = sample_home();
    home.ralph(&["drain"]);
    let first = home.ralph(&["status", "--json"]).json()["draining"].clone();
    assert_eq!(home.ralph(&["drain"]).code, 0);
    assert_eq!(home.ralph(&["status", "--json"]).json()["draining"], first);
    assert_eq!(home.ralph(&["resume"]).code, 0);
    assert_snapshot!(home.ralph(&["resume"]).shown(), @"
    exit 0
    --- stdout
    Ralph was not draining; nothing changes.
    --- stderr
    ");
}

#[test]
fn without_a_store_both_refuse_and_make_none() {
    let home = Home::empty();
    for command in ["drain", "resume"] {
        assert_eq!(home.ralph(&[command]).code, 4, "{command}");
    }
    assert!(home.files().is_empty());
}
