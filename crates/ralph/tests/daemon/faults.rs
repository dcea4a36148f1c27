//! A forge that is away, has had enough, repeats itself, or lives at another time.

use crate::forge::REPO;
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::{Value, json};

/// Implements once the test says so.
const WAITS: &str = "touch began; until test -e \"$(dirname \"$0\")/go\"; do sleep 0.05; done\n";

#[test]
fn a_forge_that_was_away_finds_the_work_go_on() {
    let mut stage = Stage::set(&format!("{WAITS}{WORK}"));
    let issue = stage.forge.open_issue("Do it", "");
    let mut daemon = stage.daemon();
    daemon.hear("attempt 4 is running");
    stage.forge.go_down();
    let degraded = until("a daemon that says it is degraded", || {
        let status = stage.json(&["status"]);
        (status["degraded"] != json!([])).then(|| status["degraded"].to_string())
    });
    assert!(degraded.contains(&stage.forge.url), "{degraded}");
    // What needs no forge goes on without one. It comes back before the push, which would be tried again only
    // after a minute.
    std::fs::write(stage.place("go"), "").expect("a file");
    daemon.hear("next step: preflight");
    stage.forge.come_back();
    stage.forge.wait_for_status(issue, "in-bot");
    until("a daemon that is well again", || {
        (stage.json(&["status"])["degraded"] == json!([])).then_some(())
    });
    assert_eq!(daemon.stop().code, Some(0));
    stage.work_to_the_end();
    assert_eq!(stage.forge.status(issue), ["done"]);
    stage.forge.assert_nothing_twice();
}

#[test]
fn a_secondary_limit_in_the_middle_of_a_merge_delays_it() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "");
    stage.forge.fault(&json!([{
        "method": "PUT", "path": "/merge$", "status": 403, "headers": {"retry-after": "2"}, "times": 1
    }]));
    let mut daemon = stage.daemon();
    daemon.hear("next step: merge");
    let degraded = until("a daemon that says it waits", || {
        let status = stage.json(&["status"]);
        status["degraded"][0]["why"].as_str().map(str::to_owned)
    });
    assert!(degraded.contains("/merge was answered with 403"), "{degraded}");
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(daemon.stop().code, Some(0));
    let pulls = stage.forge.task_pulls();
    assert_eq!(pulls.len(), 1, "{pulls:?}");
    assert!(pulls[0]["merged_at"].is_string());
    let requests = stage.forge.get("/_forge/requests");
    let merge = "/repos/{owner}/{repo}/pulls/{pull_number}/merge";
    let mut counts = requests.as_array().expect("counts").iter();
    let count = counts.find(|count| count["route"] == merge).expect("a merge");
    assert_eq!(count["charged"], 1, "the forge let one through");
    stage.forge.assert_nothing_twice();
}

#[test]
fn a_webhook_that_comes_again_changes_nothing() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "");
    stage.work_to_the_end();
    let hooks = stage.forge.list("hooks");
    let hook = &hooks[0]["id"];
    let before = everything(&stage);
    let mut daemon = stage.daemon();
    daemon.hear("ralph works in");
    let deliveries = stage.forge.list(&format!("hooks/{hook}/deliveries"));
    for delivery in &deliveries {
        let path = format!("/repos/{REPO}/hooks/{hook}/deliveries/{}/attempts", delivery["id"]);
        stage.forge.ask("POST", &path, &Value::Null);
    }
    let is_again = |delivery: &&Value| {
        delivery["redelivery"] == true && matches!(delivery["status_code"].as_u64(), Some(200..300))
    };
    until("all deliveries a second time", || {
        let all = stage.forge.list(&format!("hooks/{hook}/deliveries"));
        (all.iter().filter(is_again).count() == deliveries.len()).then_some(())
    });
    assert_eq!(daemon.stop().code, Some(0));
    stage.work();
    assert_eq!(everything(&stage), before);
    assert_eq!(stage.forge.status(issue), ["done"]);
    stage.forge.assert_nothing_twice();
}

/// The repository as a reader sees it.
fn everything(stage: &Stage) -> Vec<Value> {
    let lists = ["issues?state=all", "pulls?state=all", "issues/comments", "branches", "labels"];
    let mut all: Vec<_> = lists.iter().flat_map(|what| stage.forge.list(what)).collect();
    // A start renews the mark on the repository, which shows as the time of its last push.
    for pull in all.iter_mut().filter(|it| it["base"].is_object()) {
        for side in ["base", "head"] {
            pull[side]["repo"].take();
        }
    }
    for issue in stage.forge.list("issues?state=all") {
        all.extend(stage.forge.list(&format!("issues/{}/events", issue["number"])));
    }
    all
}

#[test]
fn a_forge_that_lives_at_another_time_is_worked_with_and_told_of() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "");
    for (date, how) in [
        ("Sat, 31 Jan 2099 12:00:05 GMT", "behind the forge's"),
        ("Fri, 31 Jan 2020 12:00:05 GMT", "ahead of the forge's"),
    ] {
        stage.forge.fault(&json!([{"headers": {"date": date}}]));
        let doctor = stage.ralph(&["doctor"]);
        assert_eq!(doctor.code, Some(1));
        for part in [how, "set this machine's clock, best by NTP", "\n1 finding, at the top.\n"] {
            assert!(doctor.stdout.contains(part), "{part}: {}", doctor.stdout);
        }
    }
    stage.work_to_the_end();
    assert_eq!(stage.forge.status(issue), ["done"]);
    stage.forge.assert_nothing_twice();
}
