//! `ETag`, `Last-Modified` and answers that cost nothing.

use http::{Method, Request};
use ralph_forge::SiteSettings;
use serde_json::{Value, json};

use crate::site::{BASE, Got, REPO, World, request};
use crate::surface;

/// Reads that are dated; every other route is shown to have no date.
const DATED: [&str; 15] = [
    "/user",
    "/users/{username}",
    "/repos/{owner}/{repo}",
    "/repos/{owner}/{repo}/labels/{name}",
    "/repos/{owner}/{repo}/issues/{issue_number}",
    "/repos/{owner}/{repo}/issues/{issue_number}/parent",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    "/repos/{owner}/{repo}/pulls/{pull_number}",
    "/repos/{owner}/{repo}/commits/{ref}",
    "/repos/{owner}/{repo}/contents/{path}",
    "/repos/{owner}/{repo}/git/commits/{commit_sha}",
    "/repos/{owner}/{repo}/git/matching-refs/{ref}",
    "/repos/{owner}/{repo}/git/ref/{ref}",
    "/repos/{owner}/{repo}/git/tags/{tag_sha}",
    "/repos/{owner}/{repo}/hooks/{hook_id}",
];
/// The same, by a path that is no longer described.
const DATED_OF_OLD: &str = "/repos/{owner}/{repo}/git/refs/{ref}";
/// Routes whose result has no address, or is only asked for.
const NOWHERE: [&str; 4] = [
    "/app/installations/{installation_id}/access_tokens",
    "/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun",
    "/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest",
    "/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest",
];

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
    let graphql = &free.json["resources"]["graphql"];
    let numbers = ["limit", "used", "remaining"].map(|key| &graphql[key]);
    assert_eq!(numbers, [&json!(3), &json!(3), &json!(0)], "one limit for both");
    assert_eq!(graphql["reset"], free.json["resources"]["core"]["reset"]);
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

#[test]
fn what_is_made_says_where_it_is_and_what_is_read_says_since_when() {
    let (mut dated, mut made) = (0, 0);
    surface::walk(|before, asked, route| {
        let mut world = World { site: before.site.clone(), now_ms: before.now_ms, mutation: None };
        let got = world.send(asked);
        let about = format!("{} {route}", asked.method());
        let names_itself = [200, 201].contains(&got.status);
        assert_eq!(got.header("etag").is_empty(), !names_itself, "{about}");
        if got.status == 201 && !NOWHERE.contains(&route) {
            let location = got.header("location").to_owned();
            let path = location.strip_prefix(BASE).unwrap_or_else(|| panic!("{about}: {location}"));
            assert_eq!(world.get("ada", path).status, 200, "{about}: {location}");
            made += 1;
        }
        let is_read = asked.method() == Method::GET;
        let is_dated = is_read && (DATED.contains(&route) || route == DATED_OF_OLD);
        assert_eq!(!got.header("last-modified").is_empty(), is_dated, "{about}");
        if is_dated && route != DATED_OF_OLD {
            assert_known_by_its_date(&mut world, asked, &about);
            dated += 1;
        }
    });
    assert!(dated >= DATED.len() && made > 10, "{dated} {made}");
}

/// With the date of an answer it is 304 and free, with an older one it is not.
fn assert_known_by_its_date(world: &mut World, asked: &Request<Vec<u8>>, about: &str) {
    // Nothing was given out by this name yet, so that no date stands for two answers.
    let mut asked = asked.clone();
    asked.headers_mut().insert("accept", "application/vnd.github+json".parse().unwrap());
    world.send(&asked);
    let got = world.send(&asked);
    let since = |date: &str| {
        let mut asked = asked.clone();
        asked.headers_mut().insert("if-modified-since", date.parse().unwrap());
        asked
    };
    let known = world.send(&since(got.header("last-modified")));
    assert_eq!(known.status, 304, "{about}");
    let remaining = "x-ratelimit-remaining";
    assert_eq!(known.header(remaining), got.header(remaining), "{about}");
    let longest_ago = "Thu, 01 Jan 1970 00:00:00 GMT";
    if got.header("last-modified") != longest_ago {
        assert_eq!(world.send(&since(longest_ago)).status, 200, "{about}");
    }
}

#[test]
fn two_changes_in_one_second_are_not_taken_for_one() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    let path = format!("{REPO}/issues/{number}");
    let at = world.now_ms;
    let first = world.get("reed", &path);
    let since = ("if-modified-since", first.header("last-modified"));
    // The harness lets a second pass before each request; here it is the same one.
    world.now_ms = at - 1_000;
    world.patch("will", &path, &json!({"title": "Other"}));
    let changed = conditional(&mut world, "reed", &path, since);
    assert_eq!((changed.status, &changed.json["title"]), (200, &json!("Other")));
    assert_eq!(changed.header("last-modified"), first.header("last-modified"));
    assert_eq!(conditional(&mut world, "reed", &path, since).status, 200, "nobody can know");
}

#[test]
fn a_branch_that_went_back_to_an_older_commit_is_told() {
    let mut world = World::new();
    let old = world.tip("main").to_string();
    let make = json!({"ref": "refs/heads/side", "sha": old});
    assert_eq!(world.post("will", &format!("{REPO}/git/refs"), &make).status, 201);
    world.now_ms += 60_000;
    world.write("side", "file", "new");
    world.site.forge_mut();
    let paths = ["commits/side", "contents/?ref=side", "git/ref/heads/side", "git/commits/side"];
    let dates: Vec<String> = paths
        .iter()
        .map(|path| world.get("reed", &format!("{REPO}/{path}")).header("last-modified").to_owned())
        .collect();
    world.now_ms += 60_000;
    let back = json!({"sha": old, "force": true});
    assert_eq!(world.patch("will", &format!("{REPO}/git/refs/heads/side"), &back).status, 200);
    for (path, date) in paths.iter().zip(&dates) {
        let since = ("if-modified-since", date.as_str());
        let got = conditional(&mut world, "reed", &format!("{REPO}/{path}"), since);
        assert_eq!(got.status, 200, "{path}");
    }
}
