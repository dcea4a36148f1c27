//! `ralph watch` and `ralph logs --follow` beside a daemon at work.

use crate::forge::REPO;
use crate::process::Process;
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::Value;
use std::fs;

#[test]
fn a_life_is_watched_while_it_happens_and_to_its_end() {
    let held = "echo working; until [ -e \"$(dirname \"$0\")/go\" ]; do sleep 0.1; done\n";
    let stage = Stage::set(&format!("{held}{WORK}"));
    let issue = stage.forge.open_issue("Do it", "");
    let number = issue.to_string();
    let daemon = stage.daemon();
    until("a run", || {
        // There may be no store yet.
        stage.ralph(&["runs", "--json"]).stdout.contains("\"run\":").then_some(())
    });
    let logs = Process::start(&mut stage.command(&["logs", "--follow"]));
    let watch = ["watch", REPO, &number, "--from-start", "--json"];
    let watch = Process::start(&mut stage.command(&watch));
    // The plan is shown while the implementer has not begun or is held up.
    let first: Value = serde_json::from_str(&watch.first_line()).expect("an object");
    assert_eq!((&first["role"], &first["stream"]), (&"plan".into(), &"output".into()));
    assert!(logs.first_line().contains(" started "), "{}", logs.first_line());
    fs::write(stage.place("go"), "").expect("a file");

    let watched = watch.wait();
    assert_eq!((watched.code, watched.stderr.as_str()), (Some(0), ""));
    let lines = watched.stdout.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let lines: Vec<Value> = lines.collect();
    let mut roles: Vec<_> = lines.iter().filter_map(|line| line["role"].as_str()).collect();
    roles.dedup();
    assert!(roles.starts_with(&["plan", "plan_review", "implement"]), "{roles:?}");
    assert!(lines.iter().any(|line| line["line"] == "working"), "{lines:?}");
    assert_eq!(stage.forge.status(issue), ["in-bot"]);
    drop(daemon.stop());
}
