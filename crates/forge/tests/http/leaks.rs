//! What one may not see is nowhere: no title, body, name or count of a private repository in any
//! answer to anybody else.

use http::Method;
use serde_json::{Value, json};

use crate::site::{World, request};

/// Stands in everything that belongs to the private repository, and nowhere else.
const SECRET: &str = "hush";

/// `ada/app` is public and `ada/hush` private, and they speak of each other in every way there is.
fn world() -> World {
    let mut world = World::new();
    let new = json!({"name": SECRET, "private": true, "auto_init": true, "description": SECRET});
    made(&mut world, "/user/repos", &new);
    let private = format!("/repos/ada/{SECRET}");
    let public = "/repos/ada/app";
    let open = |world: &mut World, repo: &str, title: &str, body: &str| {
        made(world, &format!("{repo}/issues"), &json!({"title": title, "body": body}))
    };
    let seen = open(&mut world, public, "Seen", "");
    let number = seen["number"].as_u64().unwrap();
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
    world
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
            for number in 1..=40 {
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

#[test]
fn nobody_else_sees_anything_of_a_private_repository() {
    let mut world = world();
    let all = addresses(&mut world);
    assert!(all.len() > 500);
    // Those who may see it do, or the search below would prove nothing.
    let own = world.get("ada", &format!("/repos/ada/{SECRET}/issues/1")).json;
    assert_eq!(own["title"], SECRET);
    let mut seen = Vec::new();
    for who in ["reed", "zoe", "nobody"] {
        for (method, path) in all.iter().filter(|(method, _path)| *method != Method::DELETE) {
            let body = if *method == Method::GET { Value::Null } else { json!({}) };
            let asked = request(who, method.clone(), path, &body);
            let got = world.site.respond(world.now_ms, &asked).response;
            let text = String::from_utf8_lossy(got.body()).into_owned();
            let told = format!("{text}{:?}", got.headers());
            let told = told.replace(&format!("/repos/ada/{SECRET}"), "");
            if told.contains(SECRET) {
                seen.push(format!("{who} {method} {path}: {told}"));
            }
            if path.contains(&format!("/ada/{SECRET}"))
                && ![401, 404].contains(&got.status().as_u16())
            {
                seen.push(format!("{who} {method} {path}: {}", got.status()));
            }
        }
    }
    assert_eq!(seen, [""; 0]);
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
