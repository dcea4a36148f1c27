//! Private repositories stay private: no title, body, name or count of one is in any
//! answer to anybody else.

use std::collections::BTreeSet;

use http::{Method, Request, Response, StatusCode};
use ralph_forge::{Permission, SiteSettings};
use serde_json::{Value, json};

use crate::site::{World, request};
use crate::token_claims;

/// Stands in everything that belongs to the private repository, and nowhere else.
const SECRET: &str = "hush";

/// More than the ids that `world` gives out.
const IDS: u64 = 60;

/// `ada/app` is public and `ada/hush` private, and they speak of each other in every way there is.
fn world() -> World {
    let settings = SiteSettings { requests_per_hour_max: u32::MAX, ..SiteSettings::default() };
    let mut world = World::with(&settings);
    let new = json!({"name": SECRET, "auto_init": true, "description": SECRET});
    made(&mut world, "/user/repos", &new);
    let private = format!("/repos/ada/{SECRET}");
    let public = "/repos/ada/app";
    let open = |world: &mut World, repo: &str, title: &str, body: &str| {
        made(world, &format!("{repo}/issues"), &json!({"title": title, "body": body}))
    };
    let seen = open(&mut world, public, "Seen", "");
    let number = seen["number"].as_u64().unwrap();
    // Two commits from the time when it was public.
    let ended = open(&mut world, public, "Ended", "")["number"].clone();
    commit(&mut world, "main", &format!("{SECRET} is about ada/app#{number}"));
    commit(&mut world, "main", &format!("{SECRET} closes ada/app#{ended}"));
    assert_eq!(world.patch("ada", &private, &json!({"private": true})).status, 200);
    let hook = json!({"config": {"url": "http://listener.test/"}, "events": ["*"]});
    made(&mut world, &format!("{public}/hooks"), &hook);
    let hidden = open(&mut world, &private, SECRET, &format!("ada/app#{number} {SECRET}"));
    made(
        &mut world,
        &format!("{private}/issues/1/comments"),
        &json!({"body": format!("{SECRET} ada/app#{number}")}),
    );
    made(&mut world, &format!("{private}/labels"), &json!({"name": SECRET, "color": "ffffff"}));
    let issue = format!("{public}/issues/{number}");
    let id = &hidden["id"];
    made(&mut world, &format!("{issue}/sub_issues"), &json!({"sub_issue_id": id}));
    made(&mut world, &format!("{issue}/dependencies/blocked_by"), &json!({"issue_id": id}));
    let blocked = json!({"issue_id": seen["id"]});
    made(&mut world, &format!("{private}/issues/1/dependencies/blocked_by"), &blocked);
    let child = open(&mut world, public, "Child", "");
    let child_id = json!({"sub_issue_id": child["id"]});
    made(&mut world, &format!("{private}/issues/1/sub_issues"), &child_id);
    let tip = world.get("ada", &format!("{private}/branches/main")).json;
    let sha = tip["commit"]["sha"].as_str().unwrap().to_owned();
    made(
        &mut world,
        &format!("{private}/statuses/{sha}"),
        &json!({"state": "success", "context": SECRET}),
    );
    made(&mut world, &format!("{private}/check-runs"), &json!({"name": SECRET, "head_sha": sha}));
    let hook = json!({"name": "web", "config": {"url": format!("http://127.0.0.1/{SECRET}")}});
    made(&mut world, &format!("{private}/hooks"), &hook);
    let make = json!({"ref": format!("refs/heads/{SECRET}"), "sha": sha});
    made(&mut world, &format!("{private}/git/refs"), &make);
    commit(&mut world, SECRET, &format!("{SECRET} is about ada/app#{number}"));
    let body = format!("{SECRET} ada/app#{number}");
    let pull = json!({"title": SECRET, "body": body, "head": SECRET, "base": "main"});
    made(&mut world, &format!("{private}/pulls"), &pull);
    let after = open(&mut world, public, "Ended later", "")["number"].clone();
    commit(&mut world, "main", &format!("{SECRET} closes ada/app#{after}"));
    world
}

/// A commit of the owner on a branch of the private repository.
fn commit(world: &mut World, branch: &str, message: &str) {
    let private = format!("/repos/ada/{SECRET}");
    let tip = world.get("ada", &format!("{private}/git/ref/heads/{branch}")).json;
    let tip = tip["object"]["sha"].clone();
    let last = world.get("ada", &format!("{private}/git/commits/{}", tip.as_str().unwrap())).json;
    let new = json!({"message": message, "tree": last["tree"]["sha"], "parents": [tip]});
    let sha = made(world, &format!("{private}/git/commits"), &new)["sha"].clone();
    let path = format!("{private}/git/refs/heads/{branch}");
    assert_eq!(world.patch("ada", &path, &json!({"sha": sha})).status, 200);
}

/// Something that the owner makes.
fn made(world: &mut World, path: &str, body: &Value) -> Value {
    let got = world.post("ada", path, body);
    assert_eq!(got.status, 201, "{path}: {}", got.json);
    got.json
}

/// Every address that a route can have here, for both repositories.
fn addresses(world: &mut World) -> Vec<(Method, String)> {
    let sha = |world: &mut World, repo: &str| {
        let found = world.get("ada", &format!("/repos/{repo}/branches/main")).json;
        found["commit"]["sha"].as_str().unwrap_or("main").to_owned()
    };
    let (private, public) = (format!("ada/{SECRET}"), "ada/app".to_owned());
    let mut found = Vec::new();
    for repo in [private, public] {
        let sha = sha(world, &repo);
        let (owner, name) = repo.split_once('/').unwrap();
        for (method, template) in ralph_forge::routes() {
            for number in 1..=IDS {
                let is_numbered = ["issue_number", "pull_number", "_id}"]
                    .iter()
                    .any(|word| template.contains(word));
                if number > 1 && !is_numbered {
                    break;
                }
                let number = number.to_string();
                let path = [
                    ("{owner}", owner),
                    ("{repo}", name),
                    ("{username}", "ada"),
                    ("{ref}", &sha),
                    ("{sha}", &sha),
                    ("{commit_sha}", &sha),
                    ("{branch}", "main"),
                    ("{name}", SECRET),
                    ("{path}", "README.md"),
                    ("{basehead}", "main...main"),
                    ("{issue_number}", &number),
                    ("{pull_number}", &number),
                    ("{comment_id}", &number),
                    ("{check_run_id}", &number),
                    ("{check_suite_id}", &number),
                    ("{job_id}", &number),
                    ("{hook_id}", &number),
                    ("{delivery_id}", "1"),
                    ("{issue_id}", &number),
                    ("{installation_id}", "1"),
                    ("{tag_sha}", &sha),
                ];
                let path = path
                    .into_iter()
                    .fold(template.to_owned(), |path, (from, to)| path.replace(from, to));
                found.push((Method::from_bytes(method.as_bytes()).unwrap(), path));
            }
        }
    }
    for query in
        [SECRET, "is:issue", "repo:ada/hush is:issue", "user:ada", "label:hush", "in:body hush"]
    {
        found.push((Method::GET, format!("/search/issues?q={}", query.replace(' ', "+"))));
    }
    found.push((Method::GET, "/_forge/requests".to_owned()));
    found
}

/// Tokens of an app that knows the repository: of another account, and narrowed to another repository.
fn tokens(world: &mut World) -> Vec<(String, String)> {
    let app = token_claims::register(world, &["ada", "max"]);
    let elsewhere = token_claims::token(world, app.id, "max");
    let here = app.installations.iter().find(|(account, _id)| account == "ada").unwrap().1;
    let path = format!("/app/installations/{here}/access_tokens");
    let mut narrow =
        token_claims::request(Method::POST, &path, &token_claims::of(app.id, world.now_ms / 1000));
    *narrow.body_mut() = json!({"repositories": ["app"]}).to_string().into_bytes();
    let narrowed = world.send(&narrow).json["token"].as_str().unwrap().to_owned();
    vec![("an app elsewhere".to_owned(), elsewhere), ("a narrowed app".to_owned(), narrowed)]
}

/// A request with this token, or without any credentials.
fn with_token(token: Option<&str>, method: Method, path: &str, body: &Value) -> Request<Vec<u8>> {
    let mut asked = request("", method, path, body);
    asked.headers_mut().remove("authorization");
    if let Some(token) = token {
        let credentials = format!("Bearer {token}").parse().unwrap();
        asked.headers_mut().insert("authorization", credentials);
    }
    asked
}

/// Everything by which two answers could be told apart, except for what counts requests.
fn traits(answer: &Response<Vec<u8>>) -> (StatusCode, &[u8], String) {
    let counts = ["x-github-request-id", "x-ratelimit-remaining", "x-ratelimit-used"];
    let headers = answer.headers().iter().filter(|(name, _value)| !counts.contains(&name.as_str()));
    (answer.status(), answer.body(), format!("{:?}", headers.collect::<Vec<_>>()))
}

#[test]
fn nobody_else_sees_anything_of_a_private_repository() {
    let mut world = world();
    let mut all = addresses(&mut world);
    assert!(all.len() > 500);
    // What one of them may delete is looked at by all before.
    all.sort_by_key(|(method, _path)| *method == Method::DELETE);
    let people = ["reed", "zoe", "nobody"].map(|who| (who.to_owned(), format!("t-{who}")));
    let strangers: Vec<(String, String)> = people.into_iter().chain(tokens(&mut world)).collect();
    let strangers = strangers.iter().map(|(who, token)| (who.as_str(), Some(token.as_str())));
    let strangers: Vec<_> = strangers.chain([("no credentials", None)]).collect();
    // Those who may see it do, or the search below would prove nothing.
    let own = world.get("ada", &format!("/repos/ada/{SECRET}/issues/1")).json;
    assert_eq!(own["title"], SECRET);
    let pulls = world.get("ada", &format!("/repos/ada/{SECRET}/pulls")).json;
    assert_eq!(pulls[0]["title"], SECRET);
    assert!(pulls[0]["id"].as_u64().unwrap() < IDS, "{}", pulls[0]["id"]);
    let mut seen = Vec::new();
    for (method, path) in &all {
        for (who, token) in strangers.iter().copied() {
            let body = if *method == Method::GET { Value::Null } else { json!({}) };
            let asked = with_token(token, method.clone(), path, &body);
            let got = world.site.respond(world.now_ms, &asked).response;
            let text = String::from_utf8_lossy(got.body()).into_owned();
            let told = format!("{text}{:?}", got.headers());
            if told.contains(SECRET) {
                seen.push(format!("{who} {method} {path}: {told}"));
            }
            if path.contains(&format!("/ada/{SECRET}"))
                && ![401, 404].contains(&got.status().as_u16())
            {
                seen.push(format!("{who} {method} {path}: {}", got.status()));
            }
            // What is hidden and what was never there are told apart by nothing.
            let absent = path.replace(SECRET, "none");
            if path.contains(&format!("/ada/{SECRET}")) {
                let asked = with_token(token, method.clone(), &absent, &body);
                let other = world.site.respond(world.now_ms, &asked).response;
                if traits(&got) != traits(&other) {
                    seen.push(format!("{who} {method} {path}: {got:?} is not {other:?}"));
                }
            }
        }
    }
    seen.truncate(9);
    assert_eq!(seen, [""; 0], "the first of them");
}

#[test]
fn relations_with_a_private_repository_are_neither_shown_nor_counted() {
    let mut world = world();
    let listed = world.get("ada", "/repos/ada/app/issues?state=all").json;
    let of = |title: &str| {
        let found = listed.as_array().unwrap().iter().find(|issue| issue["title"] == title);
        format!("/repos/ada/app/issues/{}", found.unwrap()["number"])
    };
    let (seen, child) = (of("Seen"), of("Child"));
    let counts = |issue: &Value| {
        let dependencies = &issue["issue_dependencies_summary"];
        let numbers = [
            &issue["sub_issues_summary"]["total"],
            &dependencies["blocked_by"],
            &dependencies["total_blocking"],
        ];
        numbers.map(|number| number.as_u64().unwrap())
    };
    assert_eq!(counts(&world.get("ada", &seen).json), [1, 1, 1]);
    assert_eq!(counts(&world.get("reed", &seen).json), [0, 0, 0]);
    for path in [format!("{seen}/timeline"), format!("{seen}/events"), format!("{child}/timeline")]
    {
        assert!(world.get("ada", &path).json.to_string().contains(SECRET), "{path}");
        assert_eq!(world.get("reed", &path).json, json!([]), "{path}");
    }
    assert_eq!(world.get("ada", &format!("{child}/parent")).status, 200);
    assert_eq!(world.get("reed", &format!("{child}/parent")).status, 404);
    assert!(world.get("ada", &child).json["parent_issue_url"].is_string());
    assert!(world.get("reed", &child).json["parent_issue_url"].is_null());
    let user = world.get("reed", "/users/ada").json;
    assert_eq!(user["public_repos"], 1);
}

#[test]
fn commits_of_a_repository_that_became_private_are_named_nowhere_else() {
    let mut world = world();
    let of = |world: &mut World, who: &str, number: u64, list: &str| {
        world.get(who, &format!("/repos/ada/app/issues/{number}/{list}")).json
    };
    for list in ["events", "timeline"] {
        let named = of(&mut world, "ada", 1, list).to_string();
        assert!(named.contains("\"referenced\"") && named.contains("hush/commits/"), "{named}");
        assert_eq!(of(&mut world, "reed", 1, list), json!([]), "{list}");
        let own = of(&mut world, "ada", 2, list);
        let own = own.as_array().unwrap().iter().find(|one| one["event"] == "closed").unwrap();
        assert!(own["commit_url"].as_str().unwrap().contains("hush/commits/"), "{own}");
        let told = of(&mut world, "reed", 2, list);
        assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
        let [event, sha, url] = ["event", "commit_id", "commit_url"].map(|key| &told[0][key]);
        assert_eq!((event, sha, url), (&json!("closed"), &Value::Null, &Value::Null), "{told}");
        assert_eq!(told[0]["id"], own["id"]);
    }
}

/// The administrator of a repository sees everything that its hooks are sent.
#[test]
fn hooks_of_another_repository_are_sent_nothing_of_a_private_one() {
    let mut world = world();
    world.site.forge_mut().grant("ada/app", "zoe", Permission::Admin).unwrap();
    // Closed by a commit and by a pull of the private one.
    let mut open = |words: &str| {
        made(&mut world, "/repos/ada/app/issues", &json!({"title": words}))["number"].clone()
    };
    let [by_commit, by_pull] = ["by a commit", "by a pull"].map(&mut open);
    let private = format!("/repos/ada/{SECRET}");
    commit(&mut world, "main", &format!("{SECRET} closes ada/app#{by_commit}"));
    let pull = world.get("ada", &format!("{private}/pulls")).json[0]["number"].clone();
    let pull = format!("{private}/pulls/{pull}");
    let body = json!({"body": format!("Closes ada/app#{by_pull}")});
    assert_eq!(world.patch("ada", &pull, &body).status, 200);
    let merge = format!("{pull}/merge");
    assert_eq!(world.put("ada", &merge, &json!({})).status, 200);
    let list = "/repos/ada/app/hooks/1/deliveries";
    let sent = world.get("zoe", &format!("{list}?per_page=100")).json;
    let sent = sent.as_array().unwrap();
    assert!(sent.iter().filter(|one| one["action"] == "closed").count() == 3, "{sent:?}");
    for one in sent {
        let told = world.get("zoe", &format!("{list}/{}", one["id"])).json.to_string();
        assert!(!told.contains(SECRET), "{told}");
    }
}

/// Ids in the order of requests would tell how much others ask.
#[test]
fn the_id_of_a_request_tells_nothing_about_others() {
    let ids = |seed: &str| -> Vec<String> {
        let settings = SiteSettings { token_seed: seed.to_owned(), ..SiteSettings::default() };
        let mut world = World::with(&settings);
        (0..300).map(|_| world.get("zoe", "/user").header("x-github-request-id").into()).collect()
    };
    let [one, other] = ["one", "other"].map(ids);
    assert!(one.iter().all(|id| !other.contains(id)), "a secret decides");
    let all: BTreeSet<&String> = one.iter().collect();
    assert_eq!(all.len(), one.len(), "each has its own");
    let ascents = one.windows(2).filter(|pair| pair[0] < pair[1]).count();
    assert!((60..240).contains(&ascents), "{ascents} of 299 are larger than the one before");
}

#[test]
fn a_token_of_an_app_finds_nothing_beyond_its_reach() {
    let mut world = world();
    let new = json!({"name": "shut", "private": true, "auto_init": true});
    assert_eq!(world.post("max", "/user/repos", &new).status, 201);
    let issue = json!({"title": "of max", "body": "ada/app#1"});
    assert_eq!(world.post("max", "/repos/max/shut/issues", &issue).status, 201);
    let app = token_claims::register(&mut world, &["ada", "max"]);
    let narrowed = tokens(&mut world).pop().unwrap().1;
    let [ada, max] = ["ada", "max"].map(|owner| token_claims::token(&mut world, app.id, owner));
    let mut ask = |token: &str, path: &str| {
        let got = world.send(&token_claims::request(Method::GET, path, token));
        assert_eq!(got.status, 200, "{path}: {}", got.json);
        got.json
    };
    for (token, sees_hush, sees_max) in
        [(&ada, true, false), (&max, false, true), (&narrowed, false, false)]
    {
        let found = ask(token, "/search/issues?q=is:issue");
        let text = found.to_string();
        assert_eq!(text.contains("ada/hush"), sees_hush, "{text}");
        assert_eq!(text.contains("max/shut"), sees_max, "{text}");
        assert_eq!(
            found["total_count"].as_u64(),
            found["items"].as_array().map(|all| all.len() as u64)
        );
        let timeline = ask(token, "/repos/ada/app/issues/1/timeline").to_string();
        assert_eq!(timeline.contains("ada/hush"), sees_hush, "{timeline}");
        assert_eq!(timeline.contains("of max"), sees_max, "{timeline}");
        let seen = ask(token, "/repos/ada/app/issues/1");
        assert_eq!(seen["sub_issues_summary"]["total"], u64::from(sees_hush));
        for (owner, sees_private) in [("ada", sees_hush), ("max", sees_max)] {
            let listed = ask(token, &format!("/users/{owner}/repos")).to_string();
            let name = if owner == "ada" { "ada/hush" } else { "max/shut" };
            assert_eq!(listed.contains(name), sees_private, "{owner}: {listed}");
        }
    }
}

#[test]
fn a_token_of_an_app_closes_nothing_beyond_its_reach() {
    let mut world = World::new();
    let app = token_claims::register(&mut world, &["ada", "max"]);
    let new = json!({"name": "open", "auto_init": true});
    assert_eq!(world.post("max", "/user/repos", &new).status, 201);
    let theirs = world.post("max", "/repos/max/open/issues", &json!({"title": "T"})).json;
    let number = world.pull("feature");
    let body = json!({"body": format!("Closes max/open#{}", theirs["number"])});
    let pull = format!("/repos/ada/app/pulls/{number}");
    assert_eq!(world.patch("will", &pull, &body).status, 200);
    let token = token_claims::token(&mut world, app.id, "ada");
    let merged = world.send(&token_claims::request(Method::PUT, &format!("{pull}/merge"), &token));
    assert_eq!(merged.status, 200, "{}", merged.json);
    let theirs = world.get("max", "/repos/max/open/issues/1").json;
    assert_eq!(theirs["state"], "open");
}
