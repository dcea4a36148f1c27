//! Nothing that a request asks for is ignored: each parameter, field and media type is heeded or
//! refused with words. What there is to ask for is read from GitHub's own description.

use std::collections::BTreeSet;

use http::{Method, Request};
use serde_json::{Value, json};

use crate::contract;
use crate::site::{REPO, World, request};
use crate::surface;

/// Parameters that some route reads. Any other is refused everywhere; each of these has a test of its
/// effect in `lists.rs`, `issues.rs`, `conditional.rs` or below.
const HEEDED: &[&str] = &[
    "page",
    "per_page",
    "state",
    "labels",
    "since",
    "sort",
    "direction",
    "creator",
    "mentioned",
    "assignee",
    "milestone",
    "type",
    "head",
    "base",
    "sha",
    "ref",
    "path",
    "author",
    "committer",
    "until",
    "protected",
    "check_name",
    "filter",
    "q",
    "order",
    "affiliation",
];

/// Fields that some route takes, each with an effect or with the one value that changes nothing.
const TAKEN: &[&str] = &[
    "title",
    "body",
    "labels",
    "state",
    "state_reason",
    "head",
    "base",
    "draft",
    "maintainer_can_modify",
    "merge_method",
    "sha",
    "commit_title",
    "commit_message",
    "expected_head_sha",
    "event",
    "commit_id",
    "name",
    "new_name",
    "color",
    "description",
    "private",
    "has_issues",
    "auto_init",
    "default_branch",
    "delete_branch_on_merge",
    "allow_merge_commit",
    "allow_squash_merge",
    "allow_rebase_merge",
    "permission",
    "head_sha",
    "status",
    "conclusion",
    "details_url",
    "external_id",
    "started_at",
    "completed_at",
    "output",
    "context",
    "target_url",
    "config",
    "events",
    "active",
    "ref",
    "force",
    "sub_issue_id",
    "replace_parent",
    "issue_id",
    "required_status_checks",
    "enforce_admins",
    "required_pull_request_reviews",
    "restrictions",
    "allow_force_pushes",
    "allow_deletions",
    "contexts",
    "repositories",
    "repository_ids",
    "homepage",
    "has_wiki",
    "has_projects",
    "visibility",
    "tag",
    "message",
    "tree",
    "parents",
    "object",
    "tagger",
    // Only as nothing: what they speak of is not kept here.
    "assignee",
    "assignees",
    "milestone",
    "type",
    "actions",
    "comments",
    "required_linear_history",
    "block_creations",
    "required_conversation_resolution",
    "lock_branch",
    "allow_fork_syncing",
    "permissions",
    "archived",
    "allow_auto_merge",
    "allow_forking",
    "gitignore_template",
    "has_discussions",
    "has_downloads",
    "is_template",
    "license_template",
    "team_id",
    "web_commit_signoff_required",
];

const MEDIA: &[&str] = &["raw", "text", "html", "full", "diff", "patch", "sha", "object", "base64"];

/// Asks the same with each thing added that there is to ask for.
fn probe(before: &World, asked: &Request<Vec<u8>>, template: &str) -> usize {
    let mut world = World { site: before.site.clone(), now_ms: before.now_ms, mutation: None };
    let described = contract::rest().asked_for(asked.method().as_str(), template);
    let mut probes = 0;
    for name in described.parameters.iter().map(String::as_str).chain(["nonsense"]) {
        let is_heeded = HEEDED.contains(&name);
        let path = asked.uri().path_and_query().unwrap().as_str();
        let mark = if path.contains('?') { '&' } else { '?' };
        let other = again(asked, &format!("{path}{mark}{name}=1"), asked.body().clone());
        if is_heeded && *asked.method() != Method::GET {
            continue;
        }
        let got = world.send(&other);
        probes += 1;
        let is_refused = got.status == 422 && got.json["message"].as_str().unwrap().contains(name);
        assert!(
            is_refused || is_heeded,
            "{template}: {name} is ignored: {} {}",
            got.status,
            got.json
        );
    }
    for name in described.fields.iter().map(String::as_str).chain(["nonsense"]) {
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(asked.body()) else { break };
        if TAKEN.contains(&name) {
            continue;
        }
        fields.insert(name.to_owned(), json!("x"));
        let body = Value::Object(fields).to_string().into_bytes();
        let got = world.send(&again(asked, &asked.uri().to_string(), body));
        probes += 1;
        let words = got.json["message"].as_str().unwrap_or_default();
        // For a body that can be a list or an object, it is unknown which was meant.
        let is_named = words.contains(name) || words.contains("did not match any variant");
        assert!(
            got.status == 422 && is_named,
            "{template}: {name} is ignored: {} {}",
            got.status,
            got.json
        );
    }
    probes + probe_media(&mut world, asked, template)
}

fn probe_media(world: &mut World, asked: &Request<Vec<u8>>, template: &str) -> usize {
    if *asked.method() != Method::GET {
        return 0;
    }
    let usual = world.site.respond(world.now_ms, asked).response;
    for media in MEDIA {
        let mut other = again(asked, &asked.uri().to_string(), Vec::new());
        let accept = format!("application/vnd.github.{media}+json");
        other.headers_mut().insert("accept", accept.parse().unwrap());
        let got = world.site.respond(world.now_ms, &other).response;
        let is_heeded = got.status() != 200 || got.body() != usual.body();
        // Without a text there is nothing to show otherwise, and raw is how it was written.
        let usual = String::from_utf8_lossy(usual.body());
        let has_text = usual.contains("\"body\":") && usual.contains("\"user\":");
        let is_shown = *media == "raw" || !has_text;
        let is_about_texts = ["raw", "text", "html", "full"].contains(media);
        // A file is an object anyway.
        let is_object = *media == "object" && template.ends_with("/contents/{path}");
        let is_as_usual = (is_about_texts && is_shown) || (is_object && usual.starts_with('{'));
        assert!(is_heeded || is_as_usual, "{template}: {media} is ignored");
    }
    MEDIA.len()
}

fn again(asked: &Request<Vec<u8>>, uri: &str, body: Vec<u8>) -> Request<Vec<u8>> {
    let mut other = Request::builder().method(asked.method()).uri(uri).body(body).unwrap();
    *other.headers_mut() = asked.headers().clone();
    other
}

#[test]
fn no_parameter_field_or_media_type_is_ignored() {
    let mut probes = 0;
    let mut routes = BTreeSet::new();
    surface::walk(|before, asked, template| {
        probes += probe(before, asked, template);
        routes.insert(format!("{} {template}", asked.method()));
    });
    assert!(routes.len() > 80 && probes > 500, "{probes} of {}", routes.len());
}

#[test]
fn a_value_that_means_nothing_is_refused() {
    let mut world = World::new();
    for query in [
        "issues?sort=size",
        "issues?direction=up",
        "issues?state=odd",
        "issues?milestone=7",
        "issues?type=Bug",
        "issues?assignee=ghost",
        "issues?per_page=many",
        "issues?since=soon",
        "pulls?sort=popularity",
        "branches?protected=maybe",
        "commits?since=soon",
        "collaborators?affiliation=outside",
    ] {
        let got = world.get("ada", &format!("{REPO}/{query}"));
        assert_eq!(got.status, 422, "{query}: {}", got.json);
    }
    for query in ["milestone:1", "assignee:ada", "in:file+x", "updated:soon", "no:label"] {
        let got = world.get("ada", &format!("/search/issues?q={query}"));
        assert_eq!(got.status, 422, "{query}: {}", got.json);
    }
    let mut asked = request("ada", Method::GET, REPO, &Value::Null);
    asked.headers_mut().insert("x-github-api-version", "2020-01-01".parse().unwrap());
    assert_eq!(world.send(&asked).status, 400);
    asked.headers_mut().insert("x-github-api-version", "2022-11-28".parse().unwrap());
    assert_eq!(world.send(&asked).status, 200);
}

#[test]
fn what_is_not_kept_is_nowhere_and_can_only_be_sent_as_nothing() {
    let mut world = World::new();
    world.issue(
        &json!({"title": "T", "body": "Ask @zoe-x or @reed.", "assignees": [], "milestone": null}),
    );
    let found = |world: &mut World, query: &str| {
        world.get("ada", &format!("{REPO}/issues?{query}")).json.as_array().unwrap().len()
    };
    for (query, count) in [
        ("assignee=none", 1),
        ("assignee=*", 0),
        ("assignee=will", 0),
        ("milestone=none", 1),
        ("milestone=*", 0),
        ("type=none", 1),
        ("type=*", 0),
        ("mentioned=reed", 1),
        ("mentioned=zoe", 0),
        ("mentioned=will", 0),
    ] {
        assert_eq!(found(&mut world, query), count, "{query}");
    }
    for body in [json!({"assignees": ["will"]}), json!({"milestone": 1}), json!({"type": "Bug"})] {
        let got = world.patch("ada", &format!("{REPO}/issues/1"), &body);
        assert_eq!(got.status, 422, "{body}");
    }
}

#[test]
fn texts_come_as_they_are_asked_for() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T", "body": "a <b>"}));
    let mut asked = request("ada", Method::GET, &format!("{REPO}/issues/{number}"), &Value::Null);
    for (media, body, text, html) in [
        ("application/vnd.github.v3.full+json", true, true, true),
        ("application/vnd.github.v3.text+json", false, true, false),
        ("application/vnd.github.html+json", false, false, true),
        ("application/vnd.github.v3.raw+json", true, false, false),
        ("application/vnd.github.squirrel-girl-preview+json", true, false, false),
        ("text/html, */*;q=0.5", true, false, false),
    ] {
        asked.headers_mut().insert("accept", media.parse().unwrap());
        let got = world.site.respond(world.now_ms, &asked).response;
        let json: Value = serde_json::from_slice(got.body()).unwrap();
        let is_there = |name: &str| json.get(name).is_some();
        let shown = (is_there("body"), is_there("body_text"), is_there("body_html"));
        assert_eq!(shown, (body, text, html), "{media}: {json}");
    }
    asked.headers_mut().insert("accept", "text/html".parse().unwrap());
    assert_eq!(world.send(&asked).status, 415);
}

#[test]
fn commits_are_listed_by_when_and_by_whom() {
    let mut world = World::new();
    world.write("main", "a", "1");
    let first = world.now_ms / 1000;
    world.now_ms += 100_000;
    world.write("main", "b", "1");
    let moment = |seconds: u64| {
        let listed = world.site.forge().find_commit("ada/app", world.tip("main")).unwrap();
        assert!(listed.at >= seconds);
        let second = seconds % 60;
        format!("2023-11-14T22:{:02}:{second:02}Z", (seconds / 60) % 60)
    };
    let since = moment(first + 1);
    let count = |world: &mut World, query: &str| {
        world.get("ada", &format!("{REPO}/commits?{query}")).json.as_array().unwrap().len()
    };
    assert_eq!(count(&mut world, "author=will"), 2);
    assert_eq!(count(&mut world, "author=ada"), 1);
    assert_eq!(count(&mut world, "committer=nobody-x"), 0);
    assert_eq!(count(&mut world, &format!("since={since}")), 1);
    assert_eq!(count(&mut world, &format!("until={since}")), 2);
}

#[test]
fn odd_paths_are_refused_and_changes_come_as_text() {
    let mut world = World::new();
    for path in ["..", "a/../b", "a%2F..%2Fb", "a%00b", "./a"] {
        let got = world.get("ada", &format!("{REPO}/contents/{path}"));
        assert!([404, 422].contains(&got.status), "{path}: {}", got.status);
    }
    let number = world.pull("feature");
    for (path, media, words) in [
        (format!("pulls/{number}"), "diff", "diff --git a/feature b/feature"),
        (format!("pulls/{number}"), "patch", "Subject: [PATCH] Write feature"),
        ("compare/main...feature".to_owned(), "diff", "+feature"),
        ("commits/feature".to_owned(), "patch", "From: will"),
    ] {
        let mut asked = request("ada", Method::GET, &format!("{REPO}/{path}"), &Value::Null);
        let accept = format!("application/vnd.github.v3.{media}");
        asked.headers_mut().insert("accept", accept.parse().unwrap());
        let got = world.site.respond(world.now_ms, &asked).response;
        let text = String::from_utf8_lossy(got.body()).into_owned();
        assert!(got.status() == 200 && text.contains(words), "{path} {media}: {text}");
    }
}

#[test]
fn what_is_said_twice_or_in_the_wrong_place_is_refused() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    let twice = world.get("reed", &format!("{REPO}/issues?state=open&state=all"));
    assert_eq!(twice.refusal(), "422 The parameter `state` comes twice with different values.");
    assert_eq!(world.get("reed", &format!("{REPO}/issues?state=all&state=all")).status, 200);
    let filter = json!({"state": "closed"});
    let read = world.ask("reed", Method::GET, &format!("{REPO}/issues"), &filter);
    assert_eq!(read.refusal(), "422 Invalid request.\n\n`state` is not supported here.");
    for empty in [json!({}), json!([])] {
        assert_eq!(world.ask("reed", Method::GET, &format!("{REPO}/issues"), &empty).status, 200);
    }
    let labels = format!("{REPO}/issues/{number}/labels");
    let coloured = json!({"labels": [{"name": "new", "color": "ff0000"}]});
    assert_eq!(world.post("will", &labels, &coloured).status, 422);
    assert_eq!(world.post("will", &labels, &json!({"labels": [{"name": "new"}]})).status, 200);
    let hook = |events: Value, ssl: Value| {
        let config = json!({"url": "http://listener.test/", "insecure_ssl": ssl});
        json!({"config": config, "events": events})
    };
    for (body, status) in [
        (hook(json!(["release"]), json!("0")), 422),
        (hook(json!(["issues", "nonsense"]), json!("0")), 422),
        (hook(json!([]), json!("0")), 422),
        (hook(json!(["issues"]), json!("maybe")), 422),
        (hook(json!(["issues"]), json!(7)), 422),
        (hook(json!(["issues"]), json!(1)), 201),
    ] {
        let got = world.post("ada", &format!("{REPO}/hooks"), &body);
        assert_eq!(got.status, status, "{body}: {}", got.json);
    }
}
