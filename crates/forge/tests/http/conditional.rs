//! `ETag`, `Last-Modified` and answers that cost nothing.

use http::{Method, Request};
use ralph_forge::SiteSettings;
use serde_json::{Value, json};

use crate::site::{Got, REPO, World, request};

fn conditional(world: &mut World, who: &str, path: &str, (key, value): (&str, &str)) -> Got {
    let mut request = request(who, Method::GET, path, &Value::Null);
    let key = http::HeaderName::from_bytes(key.as_bytes()).unwrap();
    request.headers_mut().insert(key, value.parse().unwrap());
    world.send(&request)
}

#[test]
fn what_one_has_already_is_304_and_costs_nothing_until_it_changes() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    for path in [format!("{REPO}/issues"), format!("{REPO}/issues/{number}")] {
        let first = world.get("reed", &path);
        let etag = first.header("etag").to_owned();
        assert!(etag.starts_with("W/\""), "{etag}");
        for _repeated in 0..2 {
            let known = conditional(&mut world, "reed", &path, ("if-none-match", &etag));
            assert_eq!((known.status, known.header("etag")), (304, etag.as_str()));
            let remaining = known.header("x-ratelimit-remaining");
            assert_eq!(remaining, first.header("x-ratelimit-remaining"));
        }
    }
    let path = format!("{REPO}/issues/{number}");
    let etag = world.get("reed", &path).header("etag").to_owned();
    world.patch("will", &path, &json!({"title": "Other"}));
    let changed = conditional(&mut world, "reed", &path, ("if-none-match", &etag));
    assert_eq!((changed.status, &changed.json["title"]), (200, &json!("Other")));
}

#[test]
fn a_change_elsewhere_leaves_the_name_of_an_answer() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    let path = format!("{REPO}/issues/{number}");
    let etag = world.get("reed", &path).header("etag").to_owned();
    world.issue(&json!({"title": "Another"}));
    assert_eq!(conditional(&mut world, "reed", &path, ("if-none-match", &etag)).status, 304);
}

#[test]
fn names_differ_by_token_and_by_accept() {
    let mut world = World::new();
    let path = format!("{REPO}/labels");
    let plain = world.get("reed", &path).header("etag").to_owned();
    assert_ne!(world.get("will", &path).header("etag"), plain);
    let accept = ("accept", "application/vnd.github+json");
    assert_ne!(conditional(&mut world, "reed", &path, accept).header("etag"), plain);
    world.site.add_token("reed", "second");
    let second = Request::get(&path).header("authorization", "token second");
    assert_ne!(world.send(&second.body(Vec::new()).unwrap()).header("etag"), plain);
}

#[test]
fn last_modified_is_on_single_resources_only() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    let single = world.get("reed", &format!("{REPO}/issues/{number}"));
    let modified = single.header("last-modified").to_owned();
    assert_eq!(modified, "Tue, 14 Nov 2023 22:13:21 GMT");
    assert_eq!(world.get("reed", &format!("{REPO}/issues")).header("last-modified"), "");
    let path = format!("{REPO}/issues/{number}");
    let since = ("if-modified-since", modified.as_str());
    assert_eq!(conditional(&mut world, "reed", &path, since).status, 304);
    world.patch("will", &path, &json!({"title": "Other"}));
    assert_eq!(conditional(&mut world, "reed", &path, since).status, 200);
}

#[test]
fn a_pull_is_named_anew_once_its_mergeability_is_computed() {
    let mut world = World::new();
    let path = format!("{REPO}/pulls/{}", world.pull("f"));
    let unknown = world.get("reed", &path);
    assert_eq!(unknown.json["mergeable_state"], "unknown");
    let etag = unknown.header("etag").to_owned();
    let known = conditional(&mut world, "reed", &path, ("if-none-match", &etag));
    assert_eq!((known.status, &known.json["mergeable_state"]), (200, &json!("clean")));
    let etag = known.header("etag").to_owned();
    assert_eq!(conditional(&mut world, "reed", &path, ("if-none-match", &etag)).status, 304);
}

#[test]
fn head_is_get_without_a_body() {
    let mut world = World::new();
    let got = world.get("reed", REPO);
    let path = request("reed", Method::HEAD, REPO, &Value::Null);
    let head = world.site.respond(world.now_ms, &path).response;
    assert_eq!(head.headers().get("etag").unwrap(), got.header("etag"));
    assert!(head.body().is_empty());
}

#[test]
fn the_primary_limit_answers_403_until_its_reset() {
    let settings = SiteSettings { requests_per_hour_max: 3, ..SiteSettings::default() };
    let mut world = World::with(&settings);
    let path = format!("{REPO}/labels");
    let etag = world.get("reed", &path).header("etag").to_owned();
    assert_eq!(conditional(&mut world, "reed", &path, ("if-none-match", &etag)).status, 304);
    let got = world.get("reed", &path);
    assert_eq!(got.header("x-ratelimit-remaining"), "1");
    assert_eq!(got.header("x-ratelimit-used"), "2");
    assert_eq!(got.header("x-ratelimit-limit"), "3");
    assert_eq!(got.header("x-ratelimit-resource"), "core");
    assert_eq!(world.get("reed", "/nowhere").status, 404);
    let refused = world.get("reed", &path);
    assert_eq!(refused.refusal(), "403 API rate limit exceeded for user reed.");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    let free = world.get("reed", "/rate_limit");
    assert_eq!((free.status, &free.json["resources"]["core"]["remaining"]), (200, &json!(0)));
    assert_eq!(world.get("will", &path).status, 200, "limits are per user");
    let reset: u64 = refused.header("x-ratelimit-reset").parse().unwrap();
    world.now_ms = reset * 1000 - 2_000;
    assert_eq!(world.get("reed", &path).status, 403);
    assert_eq!(world.get("reed", &path).status, 200);
}

#[test]
fn the_secondary_limit_says_how_long_to_wait() {
    let settings = SiteSettings { changes_per_minute_max: Some(2), ..SiteSettings::default() };
    let mut world = World::with(&settings);
    for _allowed in 0..2 {
        world.issue(&json!({"title": "T"}));
    }
    let refused = world.post("will", &format!("{REPO}/issues"), &json!({"title": "T"}));
    assert_eq!((refused.status, refused.header("retry-after")), (403, "58"));
    assert_ne!(refused.header("x-ratelimit-remaining"), "0");
    assert_eq!(world.get("will", &format!("{REPO}/issues")).json.as_array().unwrap().len(), 2);
    world.now_ms += 60_000;
    world.issue(&json!({"title": "T"}));
}
