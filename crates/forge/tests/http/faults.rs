//! Faults on order and the counts of requests.

use std::time::Duration;

use http::Method;
use ralph_forge::{AccountKind, Permission, SiteSettings};
use serde_json::{Value, json};

use crate::site::{Got, REPO, World, request};

fn world_with(rules: &Value) -> World {
    let mut world = World::with(&SiteSettings { allow_faults: true, ..SiteSettings::default() });
    let got = world.put("ada", "/_forge/faults", rules);
    assert_eq!(got.status, 204, "{}", got.json);
    world
}

#[test]
fn a_status_fault_answers_without_doing_the_request_so_many_times() {
    let rule = json!({"method": "POST", "path": "/issues$", "status": 502, "times": 2,
                      "headers": {"retry-after": "7"}});
    let mut world = world_with(&json!([rule]));
    let new = request("will", Method::POST, &format!("{REPO}/issues"), &json!({"title": "T"}));
    for _struck in 0..2 {
        let answered = world.site.respond(world.now_ms, &new);
        assert_eq!(answered.response.status(), 502);
        assert_eq!(answered.response.headers().get("retry-after").unwrap(), "7");
    }
    assert_eq!(world.site.respond(world.now_ms, &new).response.status(), 201);
    assert_eq!(world.get("will", &format!("{REPO}/issues")).json.as_array().unwrap().len(), 1);
}

#[test]
fn a_dropped_response_is_of_a_request_that_was_done() {
    let rule = json!({"method": "^POST$", "drop_response": true, "delay_ms": 30, "times": 1});
    let mut world = world_with(&json!([rule]));
    let new = request("will", Method::POST, &format!("{REPO}/issues"), &json!({"title": "T"}));
    let answered = world.site.respond(world.now_ms, &new);
    assert!(answered.drop_response);
    assert_eq!(answered.delay, Duration::from_millis(30));
    assert_eq!(world.get("will", &format!("{REPO}/issues")).json.as_array().unwrap().len(), 1);
}

#[test]
fn the_first_rule_that_matches_strikes_and_new_rules_replace_all() {
    let rules = json!([{"path": "labels", "status": 500}, {"status": 503}]);
    let mut world = world_with(&rules);
    assert_eq!(world.get("will", &format!("{REPO}/labels")).status, 500);
    assert_eq!(world.get("will", REPO).status, 503);
    assert_eq!(world.put("will", "/_forge/faults", &json!([])).status, 204);
    assert_eq!(world.get("will", REPO).status, 200);
}

#[test]
fn faults_must_be_allowed_and_well_formed() {
    let mut world = World::new();
    assert_eq!(world.put("ada", "/_forge/faults", &json!([])).status, 404);
    let mut world = world_with(&json!([]));
    for bad in [json!([{"path": "("}]), json!([{"stauts": 1}]), json!({}), json!([{"status": 7}])] {
        let got = world.put("ada", "/_forge/faults", &bad);
        assert_eq!(got.status, 422, "{bad}");
    }
}

#[test]
fn the_pages_of_the_forge_itself_need_a_token() {
    let mut world = world_with(&json!([]));
    for (method, page) in [(Method::PUT, "faults"), (Method::GET, "requests")] {
        for credentials in [None, Some("Bearer wrong"), Some("nonsense")] {
            let path = format!("/_forge/{page}");
            let mut asked = request("", method.clone(), &path, &json!([{"status": 500}]));
            asked.headers_mut().remove("authorization");
            if let Some(credentials) = credentials {
                asked.headers_mut().insert("authorization", credentials.parse().unwrap());
            }
            let got = world.send(&asked);
            assert_eq!(got.refusal(), "401 Requires authentication", "{method} {page}");
        }
    }
    assert_eq!(world.get("ada", REPO).status, 200, "no fault was set");
}

#[test]
fn requests_are_counted_by_route_charged_and_uncharged() {
    let mut world = World::new();
    let path = format!("{REPO}/labels");
    let etag = world.get("reed", &path).header("etag").to_owned();
    let mut known = request("reed", Method::GET, &path, &Value::Null);
    known.headers_mut().insert("if-none-match", etag.parse().unwrap());
    for _repeated in 0..3 {
        assert_eq!(world.send(&known).status, 304);
    }
    world.get("reed", "/nowhere");
    let rows = world.get("reed", "/_forge/requests").json;
    let expected = json!([
        {"method": "GET", "route": "(no route)", "charged": 1, "uncharged": 0},
        {"method": "GET", "route": "/repos/{owner}/{repo}/labels", "charged": 1, "uncharged": 3},
    ]);
    assert_eq!(rows, expected);
    let count = world.site.count("GET", "/repos/{owner}/{repo}/labels");
    assert_eq!((count.charged, count.uncharged), (1, 3));
    let row = json!([{"method": "GET", "route": "(no route)", "charged": 1, "uncharged": 0}]);
    world.get("ada", "/nowhere");
    world.site.add_user("olga", AccountKind::User, Permission::Admin);
    world.site.add_token("olga", "t-olga");
    assert_eq!(world.get("olga", "/_forge/requests?login=ada").json, row);
    assert_eq!(world.get("olga", "/_forge/requests?login=nobody").json, json!([]));
    assert_eq!(world.get("olga", "/_forge/requests").json[0]["charged"], 2);
}

#[test]
fn what_others_have_asked_is_for_administrators_only() {
    let mut world = World::new();
    world.get("ada", &format!("{REPO}/labels"));
    for (who, path) in [
        ("reed", "/_forge/requests?login=ada"),
        ("max", "/_forge/requests?login=ada"),
        ("reed", "/_forge/requests?login="),
        ("reed", "/_forge/requests?login=ada&login=reed"),
    ] {
        let got = world.get(who, path);
        assert_eq!((got.status, got.json.is_array()), (403, false), "{who} {path}: {}", got.json);
    }
    assert_eq!(world.get("reed", "/_forge/requests").json, json!([]));
    world.get("zoe", "/nowhere");
    let rows = |got: &Got| got.json.as_array().unwrap().len();
    assert_eq!(rows(&world.get("ada", "/_forge/requests?login=ADA")), 1);
    assert_eq!(rows(&world.get("ada", "/_forge/requests")), 2, "every repository is hers");
    let private = json!({"name": "own", "private": true});
    assert_eq!(world.post("max", "/user/repos", &private).status, 201);
    assert_eq!(rows(&world.get("ada", "/_forge/requests")), 1, "this one is not");
}
