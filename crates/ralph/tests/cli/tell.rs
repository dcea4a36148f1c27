//! `ralph tell`.

use crate::sample_store::{SampleStore, sample_home};
use serde_json::Value;

#[test]
fn a_message_waits_in_the_inbox_until_a_daemon_takes_it_and_the_list_shows_where_it_went() {
    let home = sample_home();
    let sent = home.ralph(&["tell", "acme/widgets", "1", "use jiff"]);
    assert_eq!((sent.code, sent.stderr.as_str()), (0, ""));
    assert!(sent.stdout.contains("is entry 1. No daemon listens"), "{}", sent.stdout);
    let listed = |arguments: &[&str]| {
        let ran = home.ralph(&[&["tell", "acme/widgets#1", "--list"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stdout
    };
    assert!(listed(&[]).contains("no, in the inbox"), "{}", listed(&[]));
    SampleStore::begin(&home).take_inbox();
    assert!(listed(&[]).contains("no, waits for a turn"), "{}", listed(&[]));
    let list: Value = serde_json::from_str(&listed(&["--json"])).unwrap();
    let message = &list["messages"][0];
    assert_eq!((&message["from"], &message["text"]), (&"mia".into(), &"use jiff".into()));
    assert_eq!((&message["state"], &message["id"]), (&"waiting".into(), &"tell-1".into()));
    let explained = home.ralph(&["explain", "acme/widgets#1"]).stdout;
    assert!(explained.contains("message tell-1 from mia"), "{explained}");
}

#[test]
fn a_key_sends_a_message_once_and_json_names_its_entry() {
    let home = sample_home();
    for _ in 0..2 {
        let arguments = ["tell", "acme/widgets#1", "use jiff", "--key", "k-1", "--json"].as_slice();
        let sent: Value = serde_json::from_str(&home.ralph(arguments).stdout).unwrap();
        assert_eq!((&sent["entry"], &sent["state"]), (&1.into(), &"inbox".into()));
    }
    let other = home.ralph(&["tell", "acme/widgets#1", "use chrono", "--key", "k-1"]);
    assert!(other.code != 0 && other.stderr.contains("choose a new key"), "{}", other.stderr);
}

#[test]
fn what_is_no_message_is_refused_with_the_next_step() {
    let home = sample_home();
    let long = "a".repeat(9_000);
    for (arguments, code, says) in [
        (["tell", "acme/widgets#1"].as_slice(), 2, "write a text in quotes"),
        (&["tell", "acme/widgets"], 2, "which issue of acme/widgets?"),
        (&["tell", "acme/widgets", "soon", "text"], 2, "not an issue number"),
        (&["tell", "acme/widgets#1", "two", "words"], 2, "quote it"),
        (&["tell", "acme/widgets#1", "--list", "text"], 2, "sends none"),
        (&["tell", "acme/widgets#1", " "], 1, "the message is empty"),
        (&["tell", "acme/widgets#1", &long], 1, "at most 8192 fit"),
        (&["tell", "acme/widgets#999", "--list"], 1, "is not in the state store"),
    ] {
        let ran = home.ralph(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
    }
}
