//! The working day, area by area: what is there before, what every client does, and what the forge
//! has to show for it afterwards.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::Clone;
use crate::program::Client;
use crate::receiver::receiver;
use crate::test_server::{REPO, TestServer, text};

/// More than a page of the size that the clients ask for.
const MANY_ISSUES: usize = 25;
/// A little more than the clients need before they spend the rest.
const REQUESTS_PER_HOUR_MAX: u32 = 15;

fn at(path: &str) -> String {
    format!("/repos/{REPO}{path}")
}

fn length(list: &Value) -> usize {
    list.as_array().unwrap_or_else(|| panic!("no list: {list}")).len()
}

fn issue(server: &TestServer, title: &str) {
    server.bot().ask("POST", &at("/issues"), Some(&json!({"title": title})));
}

/// A branch of the last pushed `main` that writes one file; its sha.
fn branch(work: &Clone, name: &str, path: &str, content: &str) -> String {
    work.git(&["switch", "--quiet", "--create", name, "origin/main"]);
    let sha = work.commit(path, content);
    work.git(&["push", "--quiet", "origin", name]);
    work.git(&["switch", "--quiet", "main"]);
    sha
}

pub(crate) fn repository(client: Client) {
    let (server, work) = TestServer::new();
    work.commit("src/lib.rs", "pub fn f() {}\n");
    work.git(&["push", "--quiet"]);
    branch(&work, "topic", "topic.txt", "1\n");
    server.protect("main", &["build"]);
    let steps = [
        "who asks",
        "the repository",
        "a file and a folder",
        "commits and what lies between two",
        "a branch made, moved and deleted",
        "a collaborator and the permission",
        "protection, and none",
    ];
    client.does(&server, "repository", &[], &steps);
    let branches = server.owner().get(&at("/branches"));
    let names: BTreeSet<&str> =
        branches.as_array().unwrap().iter().filter_map(|branch| branch["name"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["main", "topic"]));
}

pub(crate) fn labels(client: Client) {
    let (server, _work) = TestServer::new();
    issue(&server, "labelled");
    let steps = [
        "a label made, found in any case and changed",
        "labels put on an issue, replaced and taken off",
        "a label that was not there is made by putting it on",
        "labels listed and one deleted",
    ];
    client.does(&server, "labels", &[], &steps);
    let names = |path: &str| {
        let labels = server.owner().get(&at(path));
        labels.as_array().unwrap().iter().map(|label| text(&label["name"])).collect::<BTreeSet<_>>()
    };
    let all = names("/labels");
    assert!(all.contains("ready") && all.contains("new here"), "{all:?}");
    assert!(!all.contains("gone"), "{all:?}");
    assert_eq!(names("/issues/1/labels"), ["new here", "ready"].map(str::to_owned).into());
}

pub(crate) fn issues(client: Client) {
    let (server, _work) = TestServer::new();
    for number in 1..=MANY_ISSUES {
        issue(&server, &format!("seed {number}"));
    }
    let steps = [
        "an issue made and read",
        "its title and text changed",
        "closed for a reason and opened again",
        "listed by label and state",
        "listed since a moment",
        "every page of a list",
        "its events and its timeline",
        "found by a search",
    ];
    client.does(&server, "issues", &[("MANY_ISSUES", &MANY_ISSUES.to_string())], &steps);
    let made = server.owner().get(&at(&format!("/issues/{}", MANY_ISSUES + 1)));
    assert_eq!(made["title"], "Größer \"und\" $(schöner) 🎉");
    assert_eq!(made["body"], "two\nlines");
    assert_eq!((&made["state"], &made["state_reason"]), (&json!("open"), &json!("reopened")));
    assert_eq!(made["user"]["login"], "ralph-bot");
}

pub(crate) fn comments(client: Client) {
    let (server, _work) = TestServer::new();
    issue(&server, "discussed");
    let steps = [
        "a comment made and changed",
        "the comments of an issue, also since a moment",
        "the comments of the repository, newest first",
        "a comment deleted",
    ];
    client.does(&server, "comments", &[], &steps);
    let left = server.owner().get(&at("/issues/1/comments"));
    assert_eq!((length(&left), &left[0]["body"]), (1, &json!("first, changed")));
}

pub(crate) fn relations(client: Client) {
    let (server, _work) = TestServer::new();
    for title in ["parent", "child", "blocker"] {
        issue(&server, title);
    }
    let steps = [
        "a blocker added, listed from both sides and counted",
        "no longer blocking once it is closed",
        "a blocker removed",
        "a sub-issue added, listed and counted",
        "its parent",
        "a sub-issue removed",
    ];
    client.does(&server, "relations", &[], &steps);
    let api = server.owner();
    assert_eq!(length(&api.get(&at("/issues/1/dependencies/blocked_by"))), 0);
    assert_eq!(length(&api.get(&at("/issues/1/sub_issues"))), 0);
    let kinds: Vec<String> = api
        .get(&at("/issues/1/timeline"))
        .as_array()
        .unwrap()
        .iter()
        .map(|event| text(&event["event"]))
        .collect();
    let expected =
        ["blocked_by_added", "blocked_by_removed", "sub_issue_added", "sub_issue_removed"];
    assert_eq!(kinds, expected);
}

pub(crate) fn pulls(client: Client) {
    let (server, work) = TestServer::new();
    issue(&server, "wanted");
    let head = branch(&work, "feature", "feature.txt", "1\n");
    branch(&work, "conflict", "README.md", "mine\n");
    work.commit("README.md", "theirs\n");
    work.git(&["push", "--quiet"]);
    let steps = [
        "a pull opened and found by its branch",
        "its files and commits",
        "mergeable once that is computed",
        "a second pull of the branch is refused",
        "a conflict is dirty and not merged",
        "its branch brought up to date",
        "not merged when the head is another",
        "approved by somebody else",
        "merged, and the issue it names is closed",
    ];
    client.does(&server, "pulls", &[("HEAD_SHA", &head)], &steps);
    let wanted = server.owner().get(&at("/issues/1"));
    assert_eq!(
        (&wanted["state"], &wanted["state_reason"]),
        (&json!("closed"), &json!("completed"))
    );
    assert_eq!(server.owner().status("GET", &at("/pulls/2/merge"), None), 204);
    work.git(&["pull", "--quiet"]);
    assert_eq!(work.git(&["rev-parse", "HEAD"]), server.tip("main"));
    assert_eq!(work.read("feature.txt"), "1\n");
    assert_eq!(work.git(&["log", "--max-count=1", "--format=%s"]), "Feature, squashed");
}

pub(crate) fn checks(client: Client) {
    let (server, work) = TestServer::new();
    let head = branch(&work, "feature", "feature.txt", "1\n");
    let pull = json!({"title": "Feature", "head": "feature", "base": "main"});
    server.bot().ask("POST", &at("/pulls"), Some(&pull));
    server.protect("main", &["build", "lint"]);
    let steps = [
        "a run begun and finished with annotations",
        "the runs of a commit, by name and by suite",
        "not merged while a required check is missing",
        "statuses and what they make together",
        "asked to run again",
        "merged once all have passed",
    ];
    client.does(&server, "checks", &[("HEAD_SHA", &head)], &steps);
    let runs = server.owner().get(&at(&format!("/commits/{head}/check-runs")));
    let runs: Vec<_> =
        runs["check_runs"].as_array().unwrap().iter().map(|run| &run["conclusion"]).collect();
    assert_eq!(runs, ["neutral", "success"], "newest first");
    assert_eq!(server.owner().status("GET", &at("/pulls/1/merge"), None), 204);
}

pub(crate) fn hooks(client: Client) {
    let (server, _work) = TestServer::new();
    let (url, letters) = receiver(3, "200 OK");
    let steps = [
        "a hook made, its secret not shown",
        "its ping delivered",
        "an event delivered, read and delivered again",
        "changed and deleted",
    ];
    client.does(&server, "hooks", &[("RECEIVER_URL", &url)], &steps);
    let letters = letters.join().unwrap();
    let events: Vec<&str> = letters.iter().map(|letter| letter.header("x-github-event")).collect();
    assert_eq!(events, ["ping", "issues", "issues"]);
    let [_ping, first, again] = letters.as_slice() else { panic!("three letters") };
    assert_eq!(first.header("x-github-delivery"), again.header("x-github-delivery"));
    assert_eq!(first.body, again.body);
    assert_eq!(length(&server.owner().get(&at("/hooks"))), 0);
}

pub(crate) fn conditional(client: Client) {
    let (server, _work) = TestServer::new();
    issue(&server, "watched");
    let steps = [
        "a known answer is 304 and free",
        "a known list is 304 and free",
        "after a change it is told again",
        "asking for the limit is free",
    ];
    client.does(&server, "conditional", &[], &steps);
    let counts = server.owner().get("/_forge/requests");
    let rows = counts.as_array().unwrap();
    let row = |route: &str| {
        let found = rows.iter().find(|row| row["route"] == route && row["method"] == "GET");
        found.unwrap_or_else(|| panic!("{route} was not asked: {counts}"))
    };
    let list = row("/repos/{owner}/{repo}/issues");
    assert_eq!((&list["charged"], &list["uncharged"]), (&json!(1), &json!(1)));
}

pub(crate) fn limits(client: Client) {
    let server = TestServer::with(|options| {
        options.requests_per_hour_max = REQUESTS_PER_HOUR_MAX;
        options.changes_per_minute_max = Some(2);
    });
    server.found();
    server.owner().ask(
        "PUT",
        "/_forge/faults",
        Some(&json!([
            {"path": "/labels/later$", "status": 429, "headers": {"retry-after": "7"}, "times": 1},
            {"path": "/labels/broken$", "status": 502, "times": 1},
        ])),
    );
    let steps = [
        "too many changes are refused with a time to wait",
        "429 is told with its time to wait",
        "an answer that failed once goes well the second time",
        "the hour's limit is refused with its end",
    ];
    let most = REQUESTS_PER_HOUR_MAX.to_string();
    client.does(&server, "limits", &[("REQUESTS_MAX", &most)], &steps);
    let (status, refusal) = server.bot().send("GET", "/user", None).unwrap();
    assert_eq!(status, 403, "{refusal}");
    assert_eq!(length(&server.owner().get(&at("/issues"))), 2);
}

pub(crate) fn refusals(client: Client) {
    let (server, _work) = TestServer::new();
    server.protect("main", &[]);
    let steps = [
        "a bad token is 401",
        "what is not there is 404",
        "what one may not see is 404",
        "what one may not do is 403",
        "what is wrong is 422 with its errors",
    ];
    client.does(&server, "refusals", &[], &steps);
    assert_eq!(length(&server.owner().get(&at("/issues"))), 0);
}
