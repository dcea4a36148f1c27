//! Apps sign in with a claim, and work with tokens that end and that are good in one account only.

use http::Method;
use serde_json::{Value, json};

use crate::site::{REPO, World};
use crate::token_claims::{self, request};

fn refusal(world: &mut World, path: &str, credentials: &str) -> String {
    world.send(&request(Method::GET, path, credentials)).refusal()
}

#[test]
fn a_claim_is_taken_only_if_it_is_signed_fresh_and_of_an_app() {
    let mut world = World::new();
    let app = token_claims::register(&mut world, &["ada"]);
    // The harness lets a second pass before each request.
    let now = |world: &World| world.now_ms / 1000 + 1;
    let header = json!({"alg": "RS256"});
    let payload = |iat: u64, exp: u64| json!({"iat": iat, "exp": exp, "iss": app.id});
    for (iat, exp, words) in [
        (-60, 540, ""),
        (0, 600, ""),
        (1, 600, "'Issued at' claim"),
        (-600, 0, "'Expiration time' claim ('exp') must be"),
        (0, 601, "'Expiration time' claim ('exp') is too far"),
    ] {
        let at = |offset: i64| now(&world).saturating_add_signed(offset);
        let text = token_claims::signed(&header, &payload(at(iat), at(exp)));
        let got = world.send(&request(Method::GET, "/app", &text));
        if words.is_empty() {
            assert_eq!((got.status, &got.json["slug"]), (200, &json!("ralph")), "{iat} {exp}");
        } else {
            assert!(got.refusal().starts_with(&format!("401 {words}")), "{}", got.refusal());
        }
    }
    let unreadable = "401 A JSON web token could not be decoded";
    let good = token_claims::of(app.id, now(&world));
    let (text, _signature) = good.rsplit_once('.').expect("a signature");
    for wrong in [format!("{text}.AAAA"), text.to_owned(), "t-ada".to_owned(), String::new()] {
        assert_eq!(refusal(&mut world, "/app", &wrong), unreadable, "{wrong}");
    }
    let none =
        token_claims::signed(&json!({"alg": "none"}), &payload(now(&world), now(&world) + 60));
    assert_eq!(refusal(&mut world, "/app", &none), unreadable);
    let unknown = token_claims::of(app.id + 1, now(&world));
    assert_eq!(refusal(&mut world, "/app", &unknown), "404 Integration not found");
    assert_eq!(refusal(&mut world, REPO, &good), "401 Bad credentials");
}

#[test]
fn a_token_works_for_an_hour_as_the_apps_own_user() {
    let mut world = World::new();
    let app = token_claims::register(&mut world, &["ada"]);
    let token = token_claims::token(&mut world, app.id, "ada");
    let mut open = request(Method::POST, &format!("{REPO}/issues"), &token);
    *open.body_mut() = json!({"title": "T"}).to_string().into_bytes();
    let opened = world.send(&open);
    assert_eq!((opened.status, &opened.json["user"]["login"]), (201, &json!("ralph[bot]")));
    assert_eq!(opened.json["user"]["type"], "Bot");
    let shown = world.send(&request(Method::GET, REPO, &token));
    assert_eq!(shown.json["permissions"]["pull"], false, "the flags are a person's");
    assert_eq!(refusal(&mut world, "/user", &token), "403 Resource not accessible by integration");
    assert_eq!(refusal(&mut world, "/app", &token), "401 A JSON web token could not be decoded");
    world.now_ms += 3_590_000;
    assert_eq!(world.send(&request(Method::GET, REPO, &token)).status, 200);
    world.now_ms += 10_000;
    assert_eq!(refusal(&mut world, REPO, &token), "401 Bad credentials");
}

#[test]
fn a_token_is_good_in_one_account_only() {
    let mut world = World::new();
    let app = token_claims::register(&mut world, &["ada", "max"]);
    world.post("max", "/user/repos", &json!({"name": "open"}));
    world.post("max", "/user/repos", &json!({"name": "shut", "private": true}));
    world.post("will", "/user/repos", &json!({"name": "other"}));
    let token = token_claims::token(&mut world, app.id, "ada");
    assert_eq!(world.send(&request(Method::GET, "/repos/max/open", &token)).status, 200);
    let got = world.send(&request(Method::POST, "/repos/max/open/issues", &token));
    assert_eq!(got.refusal(), "403 Resource not accessible by integration");
    assert_eq!(refusal(&mut world, "/repos/max/shut", &token), "404 Not Found");
    let there = token_claims::token(&mut world, app.id, "max");
    assert_eq!(world.send(&request(Method::GET, "/repos/max/shut", &there)).status, 200);
    let text = token_claims::of(app.id, world.now_ms / 1000);
    let nowhere = "/repos/will/other/installation";
    assert_eq!(refusal(&mut world, nowhere, &text), "404 Not Found");
    let absent = request(Method::POST, "/app/installations/9/access_tokens", &text);
    assert_eq!(world.send(&absent).refusal(), "404 Not Found");
}

#[test]
fn a_snapshot_holds_no_installations_token() {
    let mut world = World::new();
    let app = token_claims::register(&mut world, &["ada"]);
    let token = token_claims::token(&mut world, app.id, "ada");
    let stored = serde_json::to_string(&world.site).expect("a snapshot");
    assert!(stored.contains("ralph[bot]") && !stored.contains(&token));
    let restored: Value = serde_json::from_str(&stored).expect("JSON");
    assert!(restored["apps"]["issued"].as_object().is_some_and(|issued| issued.len() == 1));
}

#[test]
fn a_token_is_narrowed_to_repositories_or_not_given() {
    let mut world = World::new();
    let app = token_claims::register(&mut world, &["ada"]);
    let new = json!({"name": "other", "private": true, "auto_init": true});
    assert_eq!(world.post("ada", "/user/repos", &new).status, 201);
    let ask = |world: &mut World, body: Value| {
        let claim = token_claims::of(app.id, world.now_ms / 1000);
        let id = app.installations[0].1;
        let path = format!("/app/installations/{id}/access_tokens");
        let mut asked = request(Method::POST, &path, &claim);
        *asked.body_mut() = body.to_string().into_bytes();
        world.send(&asked)
    };
    for refused in [
        json!({"permissions": {"issues": "read"}}),
        json!({"repositories": ["nothing"]}),
        json!({"repository_ids": [0]}),
    ] {
        assert_eq!(ask(&mut world, refused).status, 422);
    }
    let got = ask(&mut world, json!({"repositories": ["app"]}));
    assert_eq!(got.status, 201);
    let token = got.json["token"].as_str().unwrap().to_owned();
    let status =
        |world: &mut World, path: &str| world.send(&request(Method::GET, path, &token)).status;
    assert_eq!(status(&mut world, REPO), 200);
    assert_eq!(status(&mut world, "/repos/ada/other"), 404);
    let whole =
        ask(&mut world, json!({"permissions": {}})).json["token"].as_str().unwrap().to_owned();
    assert_eq!(world.send(&request(Method::GET, "/repos/ada/other", &whole)).status, 200);
}
