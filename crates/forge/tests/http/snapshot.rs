//! A snapshot holds everything but git's objects, and the same requests give the same answers.

use http::Method;
use ralph_forge::{Site, SiteSettings};
use serde_json::json;

use crate::site::{BASE, REPO, World, request};

fn settings() -> SiteSettings {
    SiteSettings { base_url: BASE.to_owned(), ..SiteSettings::default() }
}

#[test]
fn a_restored_site_answers_as_the_one_it_was_taken_from() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T", "labels": ["bug"]}));
    let hook = json!({"config": {"url": "http://l.test/", "secret": "s"}, "events": ["issues"]});
    world.post("ada", &format!("{REPO}/hooks"), &hook);
    world.post("will", &format!("{REPO}/issues/{number}/comments"), &json!({"body": "c"}));
    let stored = serde_json::to_vec(&world.site).unwrap();
    let restored: Site = serde_json::from_slice(&stored).unwrap();
    let mut restored = restored.with_settings(settings());
    assert_eq!(serde_json::to_vec(&restored).unwrap(), stored);
    let questions = [
        request("will", Method::GET, &format!("{REPO}/issues/{number}"), &json!(null)),
        request("will", Method::GET, &format!("{REPO}/issues/{number}/timeline"), &json!(null)),
        request("ada", Method::GET, &format!("{REPO}/hooks/1/deliveries"), &json!(null)),
        request("will", Method::POST, &format!("{REPO}/issues"), &json!({"title": "Next"})),
        request("will", Method::GET, "/rate_limit", &json!(null)),
    ];
    for question in &questions {
        let [one, other] = [&mut world.site, &mut restored]
            .map(|site| site.respond(world.now_ms + 9_000, question));
        assert_eq!(one.response.status(), other.response.status());
        assert_eq!(one.response.headers(), other.response.headers());
        assert_eq!(one.response.body(), other.response.body());
        assert_eq!(one.deliveries, other.deliveries);
    }
}

#[test]
fn a_snapshot_holds_no_token() {
    let world = World::new();
    let stored = serde_json::to_string(&world.site).unwrap();
    assert!(stored.contains("will") && !stored.contains("t-will"));
}

#[test]
fn a_log_of_requests_replayed_gives_the_same_answers() {
    let play = || {
        let mut world = World::new();
        let number = world.pull("f");
        let mut bodies = Vec::new();
        for path in ["", "/files", "/commits"] {
            bodies.push(world.get("reed", &format!("{REPO}/pulls/{number}{path}")).response);
        }
        let merge = format!("{REPO}/pulls/{number}/merge");
        bodies.push(world.put("will", &merge, &json!({})).response);
        format!("{bodies:?}")
    };
    assert_eq!(play(), play());
}
