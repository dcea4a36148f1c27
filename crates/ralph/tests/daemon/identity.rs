//! Ralph's identity on the forge: remembered while the forge is away, and never changed by accident.

use crate::process::{Process, Ran, run};
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::json;
use std::fs;

/// Implements once the test says so.
const WAITS: &str = "until test -e \"$(dirname \"$0\")/go\"; do sleep 0.05; done\n";

/// The token of a second account that may write too.
fn other_token(stage: &Stage) -> String {
    let mut add = stage.command(&["forge", "user", "add", "other", "--permission", "write"]);
    let added = run(add.arg("--data").arg(stage.place("forge/data"))).stdout;
    added.split_whitespace().last().expect("a token").to_owned()
}

fn assert_refused(ran: &Ran) {
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    for part in ["ralph-bot", "other", "--new-identity", "Hint:"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn a_start_without_the_forge_goes_on_as_the_one_it_was() {
    let mut stage = Stage::set(&format!("{WAITS}{WORK}"));
    let issue = stage.forge.open_issue("Do it", "");
    let mut first = stage.daemon();
    first.hear("#1 attempt 4 is running");
    first.kill();
    stage.forge.go_down();
    let mut second = stage.daemon();
    second.hear("ralph works in");
    second.hear("#1 attempt 5 is running");
    let entry = until("a daemon that says what it only remembers", || {
        let status = stage.json(&["status"]);
        let mut entries = status["degraded"].as_array().expect("a list").iter();
        entries.find(|entry| entry["kind"] == "identity").cloned()
    });
    assert_eq!(entry["what"], format!("our name at {}", stage.forge.url));
    assert!(
        entry["why"].as_str().expect("a reason").contains("we are ralph-bot as before"),
        "{entry}"
    );
    assert!(entry["until"].is_i64(), "{entry}");
    fs::write(stage.place("go"), "").expect("a file");
    second.hear("next step: publish");
    stage.forge.come_back();
    second.hear("the forge is back and knows us as ralph-bot");
    stage.forge.wait_for_status(issue, "in-bot");
    until("a daemon that is well again", || {
        (stage.json(&["status"])["degraded"] == json!([])).then_some(())
    });
    assert_eq!(second.stop().code, Some(0));
    stage.forge.assert_nothing_twice();
}

#[test]
fn without_the_forge_and_without_a_memory_there_is_no_start() {
    let mut stage = Stage::set(WORK);
    stage.forge.go_down();
    let ran = stage.ralph(&["run", "--until-idle"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(ran.stderr.contains("does not say who we are"), "{}", ran.stderr);
}

#[test]
fn another_account_is_refused_at_the_start_and_when_the_forge_is_back() {
    let mut stage = Stage::set(WORK);
    stage.work();
    let token = other_token(&stage);
    let run_as_other = |arguments: &[&str]| {
        let mut command = stage.command(arguments);
        command.env("FORGE_TOKEN", &token);
        command
    };
    assert_refused(&run(&mut run_as_other(&["run", "--until-idle"])));
    let mut late = run_as_other(&["run"]);
    let mut accepted = run_as_other(&["run", "--until-idle", "--new-identity"]);

    let issue = stage.forge.open_issue("Do it", "");
    let events = format!("issues/{issue}/events");
    let before = stage.forge.list(&events);
    stage.forge.go_down();
    let mut late = Process::start(&mut late);
    late.hear("ralph works in");
    stage.forge.come_back();
    assert_refused(&late.wait());
    assert_eq!(stage.forge.list(&events), before, "nothing was written by another");

    let ran = run(&mut accepted);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(stage.forge.status(issue), ["in-bot"]);
    assert_eq!(stage.forge.task_pulls()[0]["user"]["login"], "other");
}
