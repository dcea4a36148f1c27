//! `ralph queue`, `pause`, `stop` and `satisfy`.

use crate::home::Home;
use crate::sample_store::{SampleStore, closed, key, sample_home};
use insta::assert_snapshot;
use ralph_core::ids::Login;
use ralph_core::issue::Phase;

#[test]
fn a_command_waits_in_the_inbox_until_a_daemon_takes_it() {
    let home = sample_home();
    assert_snapshot!(home.ralph(&["stop", "acme/widgets", "1"]).shown(), @"
    exit 0
    --- stdout
    stop for acme/widgets#1 is in the inbox as entry 1. No daemon listens; it waits until one runs.
    --- stderr
    ");
    let mut sample = SampleStore::begin(&home);
    let phase = |sample: &SampleStore| {
        sample.engine.world().issue(&key(1)).unwrap().managed.clone().unwrap().phase
    };
    assert!(matches!(phase(&sample), Phase::Running { .. }));
    sample.take_inbox();
    assert!(matches!(phase(&sample), Phase::Stopped { .. }));
    let commands =
        &sample.engine.world().issue(&key(1)).unwrap().managed.as_ref().unwrap().commands;
    assert_eq!(commands.last.as_ref().unwrap().actor, Some(Login::new("mia")));
}

#[test]
fn every_command_can_be_given_while_a_writer_has_the_store_open() {
    let home = sample_home();
    let mut sample = SampleStore::begin(&home);
    for (entry, command) in ["pause", "queue", "stop", "satisfy"].into_iter().enumerate() {
        let ran = home.ralph(&[command, "acme/widgets", "2"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{command}");
        assert!(ran.stdout.contains(&format!("entry {}", entry + 1)), "{}", ran.stdout);
    }
    sample.take_inbox();
    let issue = sample.engine.world().issue(&key(2)).unwrap();
    assert!(issue.satisfied);
    assert!(matches!(issue.managed.as_ref().unwrap().phase, Phase::Stopped { .. }));
}

#[test]
fn a_fresh_start_and_an_undone_satisfy_say_so() {
    let home = sample_home();
    assert_snapshot!(home.ralph(&["queue", "acme/widgets", "1", "--fresh"]).shown(), @"
    exit 0
    --- stdout
    queue --fresh for acme/widgets#1 is in the inbox as entry 1. No daemon listens; it waits until one runs.
    --- stderr
    ");
    for arguments in
        [["satisfy", "acme/widgets", "2"].as_slice(), &["satisfy", "--undo", "acme/widgets", "2"]]
    {
        assert_eq!(home.ralph(arguments).code, 0, "{arguments:?}");
    }
    for refused in
        [["stop", "acme/widgets", "1", "--fresh"], ["queue", "acme/widgets", "1", "--undo"]]
    {
        assert_eq!(home.ralph(&refused).code, 2, "{refused:?}");
    }
    let mut sample = SampleStore::begin(&home);
    sample.take_inbox();
    let issue = |number| sample.engine.world().issue(&key(number)).unwrap();
    assert!(!issue(2).satisfied, "and back");
    let run = issue(1).managed.as_ref().and_then(|managed| managed.run.clone());
    let afresh = issue(1).managed.as_ref().is_some_and(|managed| managed.begins_afresh);
    assert!(afresh || run.is_some_and(|run| run.left.is_some()));
}

#[test]
fn an_issue_the_store_has_not_seen_is_accepted_and_pointed_out() {
    assert_snapshot!(sample_home().ralph(&["queue", "acme/widgets", "99"]).shown(), @"
    exit 0
    --- stdout
    queue for acme/widgets#99 is in the inbox as entry 1. No daemon listens; it waits until one runs.
    The store has not seen this issue yet: a daemon reads first whether it exists.
    --- stderr
    ");
}

#[test]
fn a_repository_that_is_not_configured_is_refused_and_nothing_is_posted() {
    let home = sample_home();
    std::fs::write(home.path().join("config.toml"), "[[repos]]\nname = \"acme/widgets\"\n")
        .unwrap();
    assert_eq!(home.ralph(&["queue", "acme/widgets#1"]).code, 0);
    assert_snapshot!(home.ralph(&["queue", "you/other", "1"]).shown(), @"
    exit 3
    --- stdout
    --- stderr
    Error: you/other is not configured in HOME/config.toml
    Hint: add a [[repos]] with its name, or check the name
    ");
    let status = home.ralph(&["status", "--json"]).json();
    let waiting: Vec<_> = status["inbox"].as_array().unwrap().iter().collect();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
}

#[test]
fn an_engine_refuses_what_is_not_configured_keeps_nothing_of_it_and_says_so() {
    let home = sample_home();
    assert_eq!(home.ralph(&["queue", "you/other", "1"]).code, 0, "no settings say otherwise");
    closed(&home, |mut sample| {
        sample.take_inbox();
        sample
    });
    let status = home.ralph(&["status"]).stdout;
    assert!(status.contains("Refused: queue you/other#1, "), "{status}");
    assert!(status.contains("you/other is not configured here"), "{status}");
    assert_eq!(home.ralph(&["explain", "you/other", "1"]).code, 1, "nothing is kept of it");
    let json = home.ralph(&["status", "--json"]).json();
    assert_eq!(json["refused"][0]["issue"], "you/other#1");
    assert_eq!(json["inbox"].as_array().unwrap().len(), 0);
}

#[test]
fn without_a_store_it_refuses_and_makes_none() {
    let home = Home::empty();
    assert_snapshot!(home.ralph(&["queue", "acme/widgets", "1"]).shown(), @"
    exit 4
    --- stdout
    --- stderr
    Error: there is no state store at HOME/state.sqlite
    Hint: the first `ralph run` makes it; --home DIR or RALPH_HOME names another folder
    ");
    assert!(home.files().is_empty());
}
