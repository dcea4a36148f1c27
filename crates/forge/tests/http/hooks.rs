//! Webhooks: what is sent, to whom, how it is signed and how it is sent again.

use http::Method;
use ralph_forge::{BranchCommit, Content};
use serde_json::{Value, json};

use crate::site::{Got, REPO, World, check_deliveries, header, payload};

fn hooked(events: &[&str]) -> World {
    let mut world = World::new();
    let config = json!({"url": "http://listener.test/hook", "content_type": "json", "secret": "s"});
    let body = json!({"config": config, "events": events});
    let got = world.post("ada", &format!("{REPO}/hooks"), &body);
    assert_eq!(got.status, 201);
    world
}

/// `event action`, in the order of sending.
fn sent(got: &Got) -> Vec<String> {
    let name = |delivery| {
        let (event, json) = (header(delivery, "x-github-event").to_owned(), payload(delivery));
        json["action"].as_str().map_or(event.clone(), |action| format!("{event} {action}"))
    };
    got.answered.deliveries.iter().map(name).collect()
}

#[test]
fn each_change_is_told_with_its_payload() {
    let mut world = hooked(&["*"]);
    let issue = format!("{REPO}/issues/1");
    let main = world.tip("main").to_string();
    let post = Method::POST;
    let steps: Vec<(Method, String, Value, Vec<&str>)> = vec![
        (
            post.clone(),
            format!("{REPO}/issues"),
            json!({"title": "One", "labels": ["bug"]}),
            vec!["issues opened", "label created", "issues labeled"],
        ),
        (Method::PATCH, issue.clone(), json!({"title": "1"}), vec!["issues edited"]),
        (Method::PATCH, issue.clone(), json!({"state": "closed"}), vec!["issues closed"]),
        (Method::PATCH, issue.clone(), json!({"state": "open"}), vec!["issues reopened"]),
        (Method::DELETE, format!("{issue}/labels/bug"), Value::Null, vec!["issues unlabeled"]),
        (
            Method::PATCH,
            format!("{REPO}/labels/bug"),
            json!({"new_name": "b", "description": "d", "color": "000000"}),
            vec!["label edited"],
        ),
        (Method::DELETE, format!("{REPO}/labels/b"), Value::Null, vec!["label deleted"]),
        (
            post.clone(),
            format!("{issue}/comments"),
            json!({"body": "Hi"}),
            vec!["issue_comment created"],
        ),
        (
            post.clone(),
            format!("{REPO}/git/refs"),
            json!({"ref": "refs/heads/f", "sha": main}),
            vec!["push"],
        ),
        (
            post.clone(),
            format!("{REPO}/statuses/{main}"),
            json!({"state": "pending", "description": "d"}),
            vec!["status"],
        ),
        (
            post,
            format!("{REPO}/check-runs"),
            json!({"name": "CI", "head_sha": main, "conclusion": "success"}),
            vec!["check_run created", "check_run completed"],
        ),
    ];
    for (method, path, body, expected) in steps {
        let got = world.ask("will", method.clone(), &path, &body);
        assert!(got.status < 300, "{method} {path}: {}", got.json);
        assert_eq!(sent(&got), expected, "{method} {path}");
    }
}

#[test]
fn a_pull_is_told_from_opening_to_merging() {
    let mut world = hooked(&["*"]);
    let number = world.pull("f");
    let path = format!("{REPO}/pulls/{number}");
    let commit = BranchCommit {
        branch: "f".to_owned(),
        content: Content::written([("g", "g")]),
        message: "More".to_owned(),
    };
    let now = world.now_ms / 1000;
    let forge = world.site.forge_mut();
    let (_sha, events) = forge.commit_on_branch("will", now, "ada/app", commit).unwrap();
    let deliveries = world.site.deliver(&events);
    check_deliveries(&deliveries);
    let names: Vec<&str> =
        deliveries.iter().map(|delivery| header(delivery, "x-github-event")).collect();
    assert_eq!(names, ["push", "pull_request"]);
    assert_eq!(payload(&deliveries[1])["action"], "synchronize");
    assert_eq!(payload(&deliveries[0])["commits"][0]["added"], json!(["g"]));
    let got = world.patch("will", &path, &json!({"title": "Better"}));
    assert_eq!(sent(&got), ["pull_request edited"]);
    let got = world.put("will", &format!("{path}/merge"), &json!({}));
    assert_eq!(sent(&got), ["pull_request closed", "push"]);
    let merged = payload(&got.answered.deliveries[0]);
    assert_eq!(merged["pull_request"]["merged"], true);
    assert_eq!(merged["sender"]["login"], "will");
    let got = world.delete("will", &format!("{REPO}/git/refs/heads/f"));
    let push = payload(&got.answered.deliveries[0]);
    assert_eq!(push["deleted"], true);
    assert_eq!(push["after"], "0".repeat(40));
}

#[test]
fn a_relation_is_told_from_both_sides() {
    let mut world = hooked(&["sub_issues"]);
    let (one, two) = (world.issue(&json!({"title": "1"})), world.issue(&json!({"title": "2"})));
    let child = world.get("will", &format!("{REPO}/issues/{two}")).json["id"].clone();
    let path = format!("{REPO}/issues/{one}/sub_issues");
    let got = world.post("will", &path, &json!({"sub_issue_id": child}));
    assert_eq!(sent(&got), ["sub_issues sub_issue_added", "sub_issues parent_issue_added"]);
    let path = format!("{REPO}/issues/{one}/sub_issue");
    let got = world.ask("will", Method::DELETE, &path, &json!({"sub_issue_id": child}));
    assert_eq!(sent(&got), ["sub_issues sub_issue_removed", "sub_issues parent_issue_removed"]);
}

#[test]
fn a_changed_or_deleted_comment_is_told_as_it_was() {
    let mut world = hooked(&["issue_comment"]);
    let number = world.issue(&json!({"title": "1"}));
    let path = format!("{REPO}/issues/{number}/comments");
    let id = world.post("will", &path, &json!({"body": "old"})).json["id"].clone();
    let path = format!("{REPO}/issues/comments/{id}");
    let got = world.patch("will", &path, &json!({"body": "new"}));
    let edited = payload(&got.answered.deliveries[0]);
    assert_eq!(edited["changes"]["body"]["from"], "old");
    assert_eq!(edited["comment"]["body"], "new");
    let got = world.delete("will", &path);
    assert_eq!(payload(&got.answered.deliveries[0])["comment"]["body"], "new");
}

#[test]
fn only_active_hooks_that_want_an_event_hear_of_it() {
    let mut world = hooked(&["push"]);
    let got = world.post("will", &format!("{REPO}/issues"), &json!({"title": "T"}));
    assert_eq!(sent(&got), Vec::<String>::new());
    world.patch("ada", &format!("{REPO}/hooks/1"), &json!({"events": ["issues"]}));
    let got = world.post("will", &format!("{REPO}/issues"), &json!({"title": "T"}));
    assert_eq!(sent(&got), ["issues opened"]);
    world.patch("ada", &format!("{REPO}/hooks/1"), &json!({"active": false}));
    let got = world.post("will", &format!("{REPO}/issues"), &json!({"title": "T"}));
    assert_eq!(sent(&got), Vec::<String>::new());
}

#[test]
fn a_delivery_is_signed_and_named_and_can_be_sent_again() {
    let mut world = hooked(&["issues"]);
    let got = world.post("will", &format!("{REPO}/issues"), &json!({"title": "T"}));
    let first = got.answered.deliveries[0].clone();
    assert_eq!(first.url, "http://listener.test/hook");
    assert_eq!(header(&first, "content-type"), "application/json");
    assert_eq!(header(&first, "x-hub-signature-256").len(), "sha256=".len() + 64);
    let path = format!("{REPO}/hooks/1/deliveries/{}", first.id);
    let shown = world.get("ada", &path).json["request"]["headers"].clone();
    assert_eq!(shown["X-Hub-Signature-256"], header(&first, "x-hub-signature-256"));
    assert_eq!(shown.as_object().unwrap().len(), first.headers.len());
    let path = format!("{path}/attempts");
    let again = world.post("ada", &path, &json!({})).answered.deliveries[0].clone();
    assert_ne!(again.id, first.id);
    assert_eq!((again.body, again.headers), (first.body, first.headers));
    let list = world.get("ada", &format!("{REPO}/hooks/1/deliveries")).json;
    assert_eq!(list[0]["redelivery"], true);
    assert_eq!(list[0]["guid"], list[1]["guid"]);
    assert_eq!(list[2]["event"], "ping");
}

#[test]
fn a_hook_without_a_content_type_gets_a_form() {
    let mut world = World::new();
    let body = json!({"config": {"url": "http://listener.test/"}, "events": ["issues"]});
    let got = world.post("ada", &format!("{REPO}/hooks"), &body);
    let ping = &got.answered.deliveries[0];
    assert_eq!(header(ping, "content-type"), "application/x-www-form-urlencoded");
    assert_eq!(header(ping, "x-hub-signature-256"), "");
    assert_eq!(payload(ping)["hook_id"], 1);
}

#[test]
fn hooks_are_for_administrators() {
    let mut world = hooked(&["push"]);
    for who in ["max", "will", "zoe"] {
        assert_eq!(world.get(who, &format!("{REPO}/hooks")).status, 404, "{who}");
        assert_eq!(world.delete(who, &format!("{REPO}/hooks/1")).status, 404, "{who}");
    }
    let secret = world.get("ada", &format!("{REPO}/hooks/1")).json["config"]["secret"].clone();
    assert_eq!(secret, "********");
}

#[test]
fn a_dependency_is_told_from_both_sides() {
    let mut world = hooked(&["issue_dependencies"]);
    let (one, two) = (world.issue(&json!({"title": "1"})), world.issue(&json!({"title": "2"})));
    let id = world.get("will", &format!("{REPO}/issues/{two}")).json["id"].clone();
    let path = format!("{REPO}/issues/{one}/dependencies/blocked_by");
    let got = world.post("will", &path, &json!({"issue_id": id}));
    let told = ["issue_dependencies blocked_by_added", "issue_dependencies blocking_added"];
    assert_eq!(sent(&got), told);
    let got = world.delete("will", &format!("{path}/{id}"));
    let told = ["issue_dependencies blocked_by_removed", "issue_dependencies blocking_removed"];
    assert_eq!(sent(&got), told);
}
