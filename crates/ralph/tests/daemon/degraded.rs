//! Troubles are reported in one list: what, why, since when and until when.

use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::{Value, json};

/// The entry of this kind in the daemon's list, once it is there.
fn entry(stage: &Stage, kind: &str) -> Value {
    until(&format!("a degraded entry of the kind {kind}"), || {
        let status = stage.json(&["status"]);
        let mut entries = status["degraded"].as_array().expect("a list").iter();
        entries.find(|entry| entry["kind"] == kind).cloned()
    })
}

fn assert_told(stage: &Stage, entry: &Value, what: &str, why: &str) {
    assert_eq!(entry["what"], what);
    let said = entry["why"].as_str().expect("a reason");
    assert!(said.contains(why), "{said}");
    let (since, until) = (entry["since"].as_i64(), entry["until"].as_i64());
    assert!(since.expect("a time") < until.expect("a time"), "{entry}");
    let shown = stage.ralph(&["status"]).stdout;
    assert!(shown.contains(&format!("Degraded: {what}: {said} (since ")), "{shown}");
}

#[test]
fn refused_labels_are_told_and_the_work_goes_on_without_them() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "");
    let refused = json!({"method": "POST", "path": "/issues/[0-9]+/labels$", "status": 403});
    stage.forge.fault(&json!([refused]));
    let mut daemon = stage.daemon();
    daemon.hear("degraded: labels of ada/app: the forge refuses to write labels on one issue");
    assert_told(&stage, &entry(&stage, "labels"), "labels of ada/app", "was answered with 403");
    until("work that needs no label", || {
        let status = &stage.json(&["status"])["issues"][0]["status"];
        (*status == "in-bot").then_some(())
    });
    assert_eq!(stage.forge.status(issue), ["queued"], "the forge refuses labels");
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_push_that_does_not_get_through_is_told_with_its_reason_until_it_does() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "");
    let text = std::fs::read_to_string(stage.home.join("config.toml")).expect("settings");
    let text = text.replace("token_env", "read_lag = \"3s\"\ntoken_env");
    std::fs::write(stage.home.join("config.toml"), text).expect("a file");
    let broken = json!({"path": "git-receive-pack", "status": 503, "times": 2});
    stage.forge.fault(&json!([broken]));
    let mut daemon = stage.daemon();
    daemon.hear("degraded: pushes to ada/app: ");
    assert_told(&stage, &entry(&stage, "effects"), "pushes to ada/app", "503");
    daemon.hear("well again: pushes to ada/app");
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(daemon.stop().code, Some(0));
    stage.forge.assert_nothing_twice();
}

#[test]
fn a_repository_that_was_renamed_is_told_with_its_new_name() {
    let stage = Stage::set(WORK);
    stage.forge.ask("POST", "/user/repos", &json!({"name": "renamed"}));
    let to = format!("{}/repos/ada/renamed", stage.forge.url);
    let moved = json!({"path": "^/repos/ada/app", "status": 301, "headers": {"location": to}});
    let mut daemon = stage.daemon();
    daemon.hear("ralph works in");
    stage.forge.fault(&json!([moved]));
    daemon.hear("ada/app was renamed to ada/renamed");
    let reported = entry(&stage, "reading");
    assert_told(
        &stage,
        &reported,
        reported["what"].as_str().expect("a text"),
        "renamed to ada/renamed",
    );
    assert_eq!(daemon.stop().code, Some(0));
    let refused = stage.ralph(&["run", "--until-idle"]);
    assert_eq!(refused.code, Some(5), "{}", refused.stderr);
    assert!(refused.stderr.contains("ada/app is called ada/renamed now"), "{}", refused.stderr);
}

#[test]
fn an_agents_command_that_does_not_exist_is_told_as_why_nothing_starts() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "");
    let path = stage.home.join("config.toml");
    let text = std::fs::read_to_string(&path).expect("settings");
    let text = text.replace("command = [\"sh\"", "command = [\"shh-mistyped\"");
    std::fs::write(&path, text).expect("a file");
    let daemon = stage.daemon();
    let shown = until("the reason why nothing starts", || {
        let shown = stage.ralph(&["status"]).stdout;
        shown.contains("Agents: ").then_some(shown)
    });
    let said = shown.lines().find(|line| line.starts_with("Agents: ")).expect("a line");
    for part in ["nothing new starts: ", "failed 3 times in a row", "shh-mistyped", "ralph doctor"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert_eq!(stage.forge.status(issue), ["in-progress"], "nobody is asked about it");
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_comment_that_a_person_has_to_see_and_the_forge_refuses_is_told() {
    let stage = Stage::set(WORK);
    let agent = std::fs::read_to_string(stage.place("agent.sh")).expect("an agent");
    let gap = agent.replacen("plan)", "plan) echo 'PRODUCT GAP: which colour?';", 1);
    std::fs::write(stage.place("agent.sh"), gap).expect("a file");
    let issue = stage.forge.open_issue("Paint it", "");
    let locked = json!({"method": "POST", "path": "/issues/[0-9]+/comments$", "status": 403});
    stage.forge.fault(&json!([locked]));
    let mut daemon = stage.daemon();
    let what = format!("comments on ada/app#{issue}");
    daemon.hear(&format!("degraded: {what}: the forge refused once to take a comment"));
    assert_told(&stage, &entry(&stage, "effects"), &what, "that a person has to see");
    assert_eq!(stage.forge.status(issue), ["escalated"]);
    assert_eq!(daemon.stop().code, Some(0));
}
