//! Two that the bot branch has moved on under are tried together on a real forge, with one check for both.

use crate::forge::REPO;
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::{Value, json};
use std::fs;

/// A person reports that a commit is fine. Nothing else does in these tests.
fn approve(stage: &Stage, head: &str) {
    let path = format!("/repos/{REPO}/statuses/{head}");
    stage.forge.ask("POST", &path, &json!({"state": "success", "context": "Said"}));
}

/// The open pull request from a branch that begins like this, once it is there.
fn pull_from(stage: &Stage, prefix: &str) -> Value {
    until(&format!("a pull request from {prefix}"), || {
        let pulls = stage.forge.list("pulls?state=open");
        let is_it = |pull: &Value| {
            pull["head"]["ref"].as_str().is_some_and(|branch| branch.starts_with(prefix))
        };
        pulls.into_iter().find(is_it)
    })
}

fn head(pull: &Value) -> String {
    pull["head"]["sha"].as_str().expect("a commit").to_owned()
}

#[test]
fn two_that_wait_for_a_test_are_tested_by_one_and_merged_as_they_were_tried() {
    let stage = Stage::set(WORK);
    let path = stage.home.join("config.toml");
    let config = fs::read_to_string(&path).expect("a file");
    fs::write(&path, config.replace("[\"CI\"]", "[\"Said\"]")).expect("a file");
    let issues = [1, 2, 3, 4].map(|number| stage.forge.open_issue(&format!("Thing {number}"), ""));
    let daemon = stage.daemon();
    let [first, second, third, fourth] =
        issues.map(|issue| head(&pull_from(&stage, &format!("ralph/issue-{issue}-"))));

    approve(&stage, &first);
    stage.forge.wait_for_status(1, "in-bot");
    // The next one is tested again by itself, because no other is ready.
    approve(&stage, &second);
    let again = until("a new head of the second", || {
        let now = head(&pull_from(&stage, "ralph/issue-2-"));
        (now != second).then_some(now)
    });
    approve(&stage, &third);
    approve(&stage, &fourth);
    for issue in [3, 4] {
        until(&format!("#{issue} waits"), || {
            stage.explained(issue).contains("waits for its turn").then_some(())
        });
    }
    approve(&stage, &again);

    let trial = pull_from(&stage, "ralph/trial/");
    assert_eq!((&trial["draft"], &trial["base"]["ref"]), (&json!(true), &json!("bot/integration")));
    let status = stage.ralph(&["status"]).stdout;
    assert!(status.contains("tries #3, #4 together"), "{status}");
    approve(&stage, &head(&trial));
    for issue in issues {
        stage.forge.wait_for_status(issue, "in-bot");
    }
    until("the end of the trial", || {
        let branches = stage.forge.list("branches");
        let is_trial = |branch: &Value| {
            branch["name"].as_str().is_some_and(|name| name.starts_with("ralph/trial/"))
        };
        (!branches.iter().any(is_trial)).then_some(())
    });
    assert_eq!(daemon.stop().code, Some(0));

    let pulls = stage.forge.task_pulls();
    let number = &trial["number"];
    let closed = pulls.iter().find(|pull| pull["number"] == *number).expect("the trial");
    assert_eq!((&closed["state"], &closed["merged_at"]), (&json!("closed"), &Value::Null));
    for old in [third, fourth] {
        let merged = pulls.iter().find(|pull| pull["head"]["sha"] == old).expect("its old head");
        assert!(merged["merged_at"].is_string(), "merged without another run: {merged}");
    }
    stage.forge.assert_nothing_twice();
}
