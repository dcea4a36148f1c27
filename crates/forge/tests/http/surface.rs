//! Every route is asked and answers well; the harness holds each answer against GitHub's description.

use std::collections::BTreeSet;

use http::{Method, Request};
use ralph_forge::{DeliveryOutcome, Enforcement, RequiredChecks, Rule, Ruleset, routes};
use serde_json::{Value, json};

use crate::site::{Got, REPO, World, request};
use crate::token_claims;

/// Asks and remembers which routes answered with success.
struct Walk<'a> {
    world: World,
    seen: BTreeSet<(String, &'static str)>,
    /// Sees each request, and the world before it.
    each: Each<'a>,
}

type Each<'a> = &'a mut dyn FnMut(&World, &Request<Vec<u8>>, &str);

impl Walk<'_> {
    fn go(&mut self, who: &str, method: &Method, path: &str, body: &Value) -> Got {
        self.ask(&request(who, method.clone(), path, body))
    }

    fn ask(&mut self, asked: &Request<Vec<u8>>) -> Got {
        let before =
            World { site: self.world.site.clone(), now_ms: self.world.now_ms, mutation: None };
        let got = self.world.send(asked);
        let (method, path) = (asked.method(), asked.uri());
        assert!(got.status < 300, "{method} {path}: {} {}", got.status, got.json);
        let route = got.answered.route.expect("a route");
        self.seen.insert((method.to_string(), route));
        (self.each)(&before, asked, route);
        got
    }

    fn get(&mut self, path: &str) -> Value {
        self.go("ada", &Method::GET, path, &Value::Null).json
    }

    fn post(&mut self, path: &str, body: &Value) -> Value {
        self.go("ada", &Method::POST, path, body).json
    }

    fn put(&mut self, path: &str, body: &Value) -> Value {
        self.go("ada", &Method::PUT, path, body).json
    }

    fn patch(&mut self, path: &str, body: &Value) -> Value {
        self.go("ada", &Method::PATCH, path, body).json
    }

    fn delete(&mut self, path: &str) -> Value {
        self.go("ada", &Method::DELETE, path, &Value::Null).json
    }

    /// Below the repository.
    fn at(&mut self, path: &str) -> Value {
        self.get(&format!("{REPO}{path}"))
    }
}

#[test]
fn every_route_answers_as_github_describes_it() {
    walk(|_before, _asked, _route| {});
}

/// Asks every route; `each` sees the requests.
pub(crate) fn walk(mut each: impl FnMut(&World, &Request<Vec<u8>>, &str)) {
    let mut walk = Walk { world: World::new(), seen: BTreeSet::new(), each: &mut each };
    people_and_repositories(&mut walk);
    apps(&mut walk);
    let (first, second) = issues_and_labels(&mut walk);
    relations(&mut walk, first, second);
    let number = walk.world.pull("feature");
    pulls(&mut walk, number);
    checks(&mut walk);
    branches_and_git(&mut walk);
    merging(&mut walk, number);
    hooks(&mut walk);
    let all: BTreeSet<(String, &str)> =
        routes().map(|(method, template)| (method.to_owned(), template)).collect();
    let missed: Vec<_> = all.difference(&walk.seen).collect();
    assert!(missed.is_empty(), "not asked: {missed:#?}");
}

fn people_and_repositories(walk: &mut Walk<'_>) {
    walk.get("/");
    walk.get("/user");
    walk.get("/users/will");
    walk.get("/rate_limit");
    let who = walk.post("/graphql", &json!({"query": "query UserCurrent{viewer{login}}"}));
    assert_eq!(who, json!({"data": {"viewer": {"login": "ada"}}}));
    let new = json!({"name": "made", "private": true, "description": "d", "auto_init": true});
    walk.post("/user/repos", &new);
    walk.post("/user/repos", &json!({"name": "empty"}));
    walk.get("/user/repos");
    walk.get("/users/ada/repos");
    walk.at("");
    walk.patch(REPO, &json!({"description": "An app", "allow_rebase_merge": true}));
    walk.put(&format!("{REPO}/collaborators/zoe"), &json!({"permission": "triage"}));
    walk.at("/collaborators");
    walk.at("/collaborators/zoe");
    walk.at("/collaborators/zoe/permission");
    walk.delete(&format!("{REPO}/collaborators/zoe"));
}

fn apps(walk: &mut Walk<'_>) {
    let app = token_claims::register(&mut walk.world, &["ada"]);
    let mut ask = |method: Method, path: &str| {
        let claim = token_claims::of(app.id, walk.world.now_ms / 1000);
        let mut asked = token_claims::request(method.clone(), path, &claim);
        if method == Method::POST {
            *asked.body_mut() = json!({"repositories": ["app"]}).to_string().into_bytes();
        }
        walk.ask(&asked).json
    };
    ask(Method::GET, "/app");
    ask(Method::GET, "/app/installations");
    let id = ask(Method::GET, &format!("{REPO}/installation"))["id"].clone();
    ask(Method::POST, &format!("/app/installations/{id}/access_tokens"));
}

fn issues_and_labels(walk: &mut Walk<'_>) -> (u64, u64) {
    walk.post(&format!("{REPO}/labels"), &json!({"name": "bug", "color": "ff0000"}));
    walk.at("/labels");
    walk.at("/labels/Bug");
    walk.patch(&format!("{REPO}/labels/bug"), &json!({"new_name": "defect", "description": "x"}));
    let issue = json!({"title": "One", "body": "Words", "labels": ["defect", "good first issue"]});
    let first = walk.post(&format!("{REPO}/issues"), &issue)["number"].as_u64().unwrap();
    let second = json!({"title": "Two", "body": format!("See #{first}")});
    let second = walk.post(&format!("{REPO}/issues"), &second)["number"].as_u64().unwrap();
    let path = format!("{REPO}/issues/{first}");
    walk.get(&path);
    walk.patch(&path, &json!({"title": "One!", "state": "closed", "state_reason": "completed"}));
    walk.patch(&path, &json!({"state": "open"}));
    walk.at("/issues?state=all&labels=defect");
    walk.get(&format!("{path}/labels"));
    walk.post(&format!("{path}/labels"), &json!({"labels": ["later"]}));
    walk.delete(&format!("{path}/labels/later"));
    walk.put(&format!("{path}/labels"), &json!(["defect"]));
    walk.delete(&format!("{path}/labels"));
    walk.delete(&format!("{REPO}/labels/defect"));
    let comment = walk.post(&format!("{path}/comments"), &json!({"body": "Yes"}));
    let comment = format!("/issues/comments/{}", comment["id"]);
    walk.get(&format!("{path}/comments"));
    walk.at("/issues/comments?sort=updated");
    walk.at(&comment);
    walk.patch(&format!("{REPO}{comment}"), &json!({"body": "No"}));
    walk.get(&format!("{path}/events"));
    walk.get(&format!("{path}/timeline"));
    walk.delete(&format!("{REPO}{comment}"));
    walk.get("/search/issues?q=repo:ada/app+is:issue+One");
    (first, second)
}

fn relations(walk: &mut Walk<'_>, first: u64, second: u64) {
    let path = format!("{REPO}/issues/{first}");
    let other = walk.at(&format!("/issues/{second}"))["id"].as_u64().unwrap();
    walk.post(&format!("{path}/sub_issues"), &json!({"sub_issue_id": other}));
    walk.get(&format!("{path}/sub_issues"));
    walk.at(&format!("/issues/{second}/parent"));
    walk.at(&format!("/issues/{second}"));
    walk.go("ada", &Method::DELETE, &format!("{path}/sub_issue"), &json!({"sub_issue_id": other}));
    walk.post(&format!("{path}/dependencies/blocked_by"), &json!({"issue_id": other}));
    walk.get(&format!("{path}/dependencies/blocked_by"));
    walk.at(&format!("/issues/{second}/dependencies/blocking"));
    walk.delete(&format!("{path}/dependencies/blocked_by/{other}"));
    for number in [first, second] {
        walk.at(&format!("/issues/{number}/timeline"));
        walk.at(&format!("/issues/{number}/events"));
    }
}

fn pulls(walk: &mut Walk<'_>, number: u64) {
    let path = format!("{REPO}/pulls/{number}");
    let main = walk.world.tip("main").to_string();
    walk.post(&format!("{REPO}/git/refs"), &json!({"ref": "refs/heads/other", "sha": main}));
    walk.world.write("other", "other", "other");
    let draft = json!({"title": "Draft", "head": "ada:other", "base": "main", "draft": true});
    walk.post(&format!("{REPO}/pulls"), &draft);
    walk.get(&path);
    walk.get(&path);
    walk.at("/pulls?head=ada:feature&state=all");
    walk.patch(&path, &json!({"title": "Better", "body": "Closes #1"}));
    walk.get(&format!("{path}/files"));
    walk.get(&format!("{path}/commits"));
    walk.get(&format!("{path}/reviews"));
    walk.post(&format!("{path}/reviews"), &json!({"event": "APPROVE", "body": ""}));
    walk.get(&format!("{path}/reviews"));
    walk.get(&format!("{path}/comments"));
    walk.at(&format!("/issues/{number}"));
    walk.at(&format!("/issues/{number}/timeline"));
}

fn checks(walk: &mut Walk<'_>) {
    let head = walk.world.tip("feature").to_string();
    let run = json!({
        "name": "CI",
        "head_sha": head,
        "status": "in_progress",
        "external_id": "x",
        "started_at": "2026-01-01T00:00:00Z",
        "output": {"title": "T", "summary": "S", "text": "log", "annotations": [{
            "path": "a", "start_line": 1, "end_line": 2, "annotation_level": "warning", "message": "m",
        }]},
    });
    let run = walk.post(&format!("{REPO}/check-runs"), &run);
    let (id, suite) = (run["id"].clone(), run["check_suite"]["id"].clone());
    walk.at(&format!("/check-runs/{id}"));
    walk.at(&format!("/check-runs/{id}/annotations"));
    walk.at(&format!("/actions/jobs/{id}/logs"));
    walk.at(&format!("/check-suites/{suite}"));
    walk.patch(&format!("{REPO}/check-runs/{id}"), &json!({"conclusion": "failure"}));
    walk.post(&format!("{REPO}/check-runs/{id}/rerequest"), &json!({}));
    walk.post(&format!("{REPO}/actions/jobs/{id}/rerun"), &json!({}));
    walk.post(&format!("{REPO}/check-suites/{suite}/rerequest"), &json!({}));
    walk.at(&format!("/check-suites/{suite}"));
    walk.at(&format!("/check-suites/{suite}/check-runs"));
    walk.at("/commits/feature/check-runs?check_name=CI&filter=all");
    walk.at("/commits/feature/check-suites");
    walk.at("/commits/main/check-runs");
    walk.post(
        &format!("{REPO}/statuses/{head}"),
        &json!({"state": "success", "context": "lint", "target_url": "http://ci.test/1"}),
    );
    walk.at("/commits/feature/status");
    walk.at(&format!("/commits/{head}/statuses"));
    walk.at(&format!("/statuses/{head}"));
}

fn branches_and_git(walk: &mut Walk<'_>) {
    let protection = json!({
        "required_status_checks": {"strict": true, "contexts": ["CI"]},
        "enforce_admins": true,
        "required_pull_request_reviews": {"required_approving_review_count": 1},
        "restrictions": null,
    });
    walk.put(&format!("{REPO}/branches/main/protection"), &protection);
    walk.at("/branches/main/protection");
    walk.at("/branches/main/protection/required_status_checks");
    walk.post(
        &format!("{REPO}/branches/main/protection/required_status_checks/contexts"),
        &json!({"contexts": ["lint"]}),
    );
    walk.at("/branches");
    walk.at("/branches/main");
    walk.delete(&format!("{REPO}/branches/main/protection"));
    let rules = [
        Rule::RequiredChecks(RequiredChecks::default()),
        Rule::PullRequest { approvals: 0 },
        Rule::NonFastForward,
        Rule::Deletion,
    ];
    let ruleset = Ruleset {
        name: "r".to_owned(),
        enforcement: Enforcement::Active,
        branches: vec!["release".to_owned()],
        rules: rules.to_vec(),
        bypass: BTreeSet::new(),
    };
    walk.world.site.forge_mut().add_ruleset("ada/app", ruleset).unwrap();
    walk.at("/rules/branches/release");
    let (head, main) = (walk.world.tip("feature"), walk.world.tip("main"));
    let new = json!({"ref": "refs/heads/a/b", "sha": main.to_string()});
    walk.post(&format!("{REPO}/git/refs"), &new);
    walk.at("/git/ref/heads/a/b");
    assert_eq!(walk.at("/git/refs/heads/a/b"), walk.at("/git/ref/heads/a/b"));
    walk.at("/git/matching-refs/heads/a");
    walk.patch(&format!("{REPO}/git/refs/heads/a/b"), &json!({"sha": head.to_string()}));
    walk.delete(&format!("{REPO}/git/refs/heads/a/b"));
    let shown = walk.at(&format!("/git/commits/{head}"));
    let note = json!({"message": "A note", "tree": shown["tree"]["sha"], "parents": []});
    let first = walk.post(&format!("{REPO}/git/commits"), &note)["sha"].clone();
    walk.post(&format!("{REPO}/git/refs"), &json!({"ref": "refs/notes/own", "sha": first}));
    walk.delete(&format!("{REPO}/git/refs/notes/own"));
    let tag = json!({
        "tag": "v1",
        "message": "The first",
        "object": main.to_string(),
        "type": "commit",
        "tagger": {"name": "Ada", "email": "ada@example.com", "date": "2026-01-01T00:00:00Z"},
    });
    let tag = walk.post(&format!("{REPO}/git/tags"), &tag)["sha"].as_str().unwrap().to_owned();
    walk.at(&format!("/git/tags/{tag}"));
    walk.post(&format!("{REPO}/git/refs"), &json!({"ref": "refs/tags/v1", "sha": tag}));
    assert_eq!(walk.at("/git/ref/tags/v1")["object"]["type"], "tag");
    assert_eq!(walk.at("/git/matching-refs/tags")[0]["ref"], "refs/tags/v1");
    assert_eq!(walk.at("/tags")[0]["commit"]["sha"], main.to_string());
    let moved = json!({"sha": head.to_string(), "force": true});
    walk.patch(&format!("{REPO}/git/refs/tags/v1"), &moved);
    walk.delete(&format!("{REPO}/git/refs/tags/v1"));
    walk.at("/commits?sha=feature");
    walk.at("/commits/feature");
    walk.at(&format!("/commits/{head}/pulls"));
    walk.at("/compare/main...feature");
    walk.at("/contents/README.md");
    walk.at("/contents");
}

fn merging(walk: &mut Walk<'_>, number: u64) {
    walk.world.write("main", "moved", "on");
    let path = format!("{REPO}/pulls/{number}");
    walk.put(&format!("{path}/update-branch"), &json!({}));
    let now = walk.world.now_ms / 1000;
    walk.world.site.forge_mut().run_background(now);
    walk.put(&format!("{path}/merge"), &json!({"merge_method": "squash"}));
    walk.get(&format!("{path}/merge"));
    walk.get(&path);
    walk.at("/pulls?state=closed");
    walk.at(&format!("/issues/{number}/timeline"));
    walk.at(&format!("/issues/{number}/events"));
    walk.at("/issues?state=all");
}

fn hooks(walk: &mut Walk<'_>) {
    let hook = json!({
        "config": {"url": "http://listener.test/hook", "content_type": "json", "secret": "s"},
        "events": ["*"],
    });
    let got = walk.go("ada", &Method::POST, &format!("{REPO}/hooks"), &hook);
    let id = got.json["id"].as_u64().unwrap();
    let ping = got.answered.deliveries.first().expect("a ping").clone();
    let path = format!("{REPO}/hooks/{id}");
    walk.at("/hooks");
    walk.patch(&path, &json!({"active": true}));
    walk.post(&format!("{path}/pings"), &json!({}));
    let outcome = DeliveryOutcome {
        status: Some(200),
        duration_ms: 12,
        response_body: Some("ok".to_owned()),
    };
    walk.world.site.delivered(ping.hook_id, ping.id, outcome);
    walk.get(&path);
    walk.get(&format!("{path}/deliveries"));
    walk.get(&format!("{path}/deliveries/{}", ping.id));
    walk.post(&format!("{path}/deliveries/{}/attempts", ping.id), &json!({}));
    walk.delete(&path);
}
