//! The timeline of a pull: what was committed and what reviewers said, among everything else.

use serde_json::{Value, json};

use crate::site::{REPO, World};

fn timeline(world: &mut World, number: u64) -> Vec<Value> {
    let got = world.get("reed", &format!("{REPO}/issues/{number}/timeline"));
    got.json.as_array().expect("a list").clone()
}

fn names(timeline: &[Value]) -> Vec<&str> {
    timeline.iter().filter_map(|entry| entry["event"].as_str()).collect()
}

#[test]
fn commits_and_reviews_stand_where_they_happened() {
    let mut world = World::new();
    let number = world.pull("feature");
    let first = world.tip("feature").to_string();
    let label = json!({"labels": ["seen"]});
    world.post("will", &format!("{REPO}/issues/{number}/labels"), &label);
    let review = json!({"event": "REQUEST_CHANGES", "body": "No"});
    let review = world.post("max", &format!("{REPO}/pulls/{number}/reviews"), &review).json;
    world.now_ms += 10_000;
    let second = world.write("feature", "more", "more").to_string();
    world.post("ada", &format!("{REPO}/pulls/{number}/reviews"), &json!({"event": "APPROVE"}));
    let found = timeline(&mut world, number);
    assert_eq!(names(&found), ["committed", "labeled", "reviewed", "committed", "reviewed"]);
    assert_eq!(
        (found[0]["sha"].as_str(), found[3]["sha"].as_str()),
        (Some(&*first), Some(&*second))
    );
    assert_eq!(found[0]["message"], "Write feature");
    assert_eq!(found[2]["id"], review["id"]);
    let said = |at: usize| (found[at]["state"].as_str(), found[at]["user"]["login"].as_str());
    assert_eq!(said(2), (Some("CHANGES_REQUESTED"), Some("max")));
    assert_eq!(said(4), (Some("APPROVED"), Some("ada")));
    assert_eq!((&found[2]["body"], &found[2]["commit_id"]), (&json!("No"), &json!(first)));
    let events = world.get("reed", &format!("{REPO}/issues/{number}/events")).json;
    assert_eq!(names(events.as_array().unwrap()), ["labeled"]);
    let page = world.get("reed", &format!("{REPO}/issues/{number}/timeline?per_page=2&page=2"));
    assert_eq!(names(page.json.as_array().unwrap()), ["reviewed", "committed"]);
}

#[test]
fn a_pull_shows_the_commits_that_it_has_now() {
    let mut world = World::new();
    let number = world.pull("feature");
    let gone = world.tip("feature").to_string();
    let other = world.pull("other");
    let head = world.tip("other").to_string();
    let forced = json!({"sha": head, "force": true});
    world.patch("will", &format!("{REPO}/git/refs/heads/feature"), &forced);
    let found = timeline(&mut world, number);
    assert_eq!(names(&found), ["committed", "head_ref_force_pushed"]);
    assert_eq!(found[0]["sha"], head);
    assert!(!found.iter().any(|entry| entry["sha"] == gone));
    assert_eq!(world.put("will", &format!("{REPO}/pulls/{other}/merge"), &json!({})).status, 200);
    let merged = timeline(&mut world, other);
    assert_eq!(names(&merged)[..3], ["committed", "merged", "closed"]);
    assert_eq!(merged[0]["sha"], head, "it stays when the base has it");
}
