//! Settings that change while the daemon works: good ones come into force, bad ones are reported.

use crate::forge::REPO;
use crate::process::Process;
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

/// Implements once the test says so.
const WAITS: &str = "until test -e \"$(dirname \"$0\")/go\"; do sleep 0.05; done\n";

fn amend(stage: &Stage, from: &str, to: &str) {
    let path = stage.home.join("config.toml");
    let text = fs::read_to_string(&path).expect("settings");
    assert!(text.contains(from), "{from}: {text}");
    fs::write(path, text.replacen(from, to, 1)).expect("a file");
}

fn started(stage: &Stage) -> Process {
    let mut daemon = stage.daemon();
    daemon.hear("ralph works in");
    daemon
}

/// The daemon's report of itself, once it is as expected.
fn status_with(stage: &Stage, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    until(what, || Some(stage.json(&["status"])).filter(&is_it))
}

#[test]
fn another_slot_is_used_without_a_restart_and_what_runs_goes_on() {
    let stage = Stage::set(&format!("{WAITS}{WORK}"));
    let first = stage.forge.open_issue("One", "");
    let mut daemon = started(&stage);
    daemon.hear("#1 attempt 4 is running");
    let issues = [first, stage.forge.open_issue("Two", "")];
    daemon.hear("#2 command obeyed");
    let second = &stage.json(&["status"])["issues"][1]["standing"]["is"];
    assert_eq!(*second, json!("in_line"), "there is one slot");
    amend(&stage, "rollup_idle", "concurrency_slots = 2\nrollup_idle");
    daemon.hear("#2 attempt 4 is running");
    fs::write(stage.place("go"), "").expect("a file");
    issues.iter().for_each(|issue| stage.forge.wait_for_status(*issue, "in-bot"));
    assert_eq!(daemon.stop().code, Some(0));
    for issue in issues {
        let story = stage.explained(issue);
        assert!(!story.contains("interrupted"), "{story}");
    }
    stage.forge.assert_nothing_twice();
}

#[test]
fn a_bad_file_is_told_and_the_last_good_one_stays_in_force() {
    let stage = Stage::set(WORK);
    let mut daemon = started(&stage);
    amend(&stage, "poll_interval", "max_wokers = 2\npoll_interval");
    daemon.hear("the configuration stays as it was: ");
    let reported = |status: &Value| status["daemon"]["config_error"].is_string();
    let status = status_with(&stage, "a daemon that says what is wrong", reported);
    let why = status["daemon"]["config_error"].as_str().unwrap_or_default();
    for part in ["line 1", "max_wokers", "max_workers"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let since = status["daemon"]["config_error_since"].as_i64().expect("a time");
    assert!(since >= status["daemon"]["started"].as_i64().expect("a time"));
    assert_eq!(status["workers"]["max"], 6);
    let shown = stage.ralph(&["status"]).stdout;
    assert!(shown.contains("The configuration in the file is not in force since "), "{shown}");
    // With the settings from before, work is taken up and finished.
    let issue = stage.forge.open_issue("Do it", "");
    stage.forge.wait_for_status(issue, "in-bot");
    amend(&stage, "max_wokers = 2", "max_workers = 2");
    daemon.hear("the configuration was read again and is in force");
    let taken = |status: &Value| status["workers"]["max"] == 2;
    let status = status_with(&stage, "two workers", taken);
    assert_eq!(status["daemon"]["config_error"], Value::Null);
    assert_eq!(status["daemon"]["config_error_since"], Value::Null);
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_hangup_reads_the_file_and_what_takes_a_restart_is_told() {
    let stage = Stage::set(WORK);
    let mut daemon = started(&stage);
    amend(
        &stage,
        "webhook_listen = \"127.0.0.1:",
        "max_workers = 3\nwebhook_listen = \"127.0.0.2:",
    );
    daemon.signal(Signal::HUP);
    daemon.hear("reads the configuration again, as asked");
    daemon.hear("in force after a restart only: webhook_listen");
    let taken = |status: &Value| status["workers"]["max"] == 3;
    let status = status_with(&stage, "three workers", taken);
    assert_eq!(status["daemon"]["restart_needed"], json!(["webhook_listen"]));
    assert_eq!(daemon.stop().code, Some(0), "a hangup does not end it, a later signal does");
}

#[test]
fn a_repository_that_was_left_out_is_worked_in_once_it_is_there() {
    let stage = Stage::set(WORK);
    stage.configure(&[REPO, "ada/later"]);
    let mut daemon = started(&stage);
    daemon.hear("ada/later is left out, and looked at again later: there is no ada/later");
    let reported = |status: &Value| status["degraded"][0]["until"].is_i64();
    status_with(&stage, "a daemon that says when it looks again", reported);
    stage.forge.ask("POST", "/user/repos", &json!({"name": "later", "auto_init": true}));
    daemon.hear("ada/later is worked in from now on");
    let well = |status: &Value| status["degraded"] == json!([]);
    status_with(&stage, "a daemon that is well", well);
    until("labels of Ralph's in it", || {
        let labels = stage.forge.get("/repos/ada/later/labels?per_page=100");
        labels.to_string().contains("ralph:status:queued").then_some(())
    });
    assert_eq!(daemon.stop().code, Some(0));
}
