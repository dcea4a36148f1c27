//! Issues, labels and comments.

use serde_json::json;

use crate::site::{REPO, World};

#[test]
fn an_issue_is_opened_read_edited_closed_and_listed() {
    let mut world = World::new();
    let body = json!({"title": "It breaks", "body": "Badly", "labels": ["bug"]});
    let number = world.issue(&body);
    let path = format!("{REPO}/issues/{number}");
    let got = world.get("reed", &path);
    assert_eq!(got.json["title"], "It breaks");
    assert_eq!(got.json["labels"][0]["name"], "bug");
    assert_eq!(got.json["user"]["login"], "will");
    let close = json!({"state": "closed", "state_reason": "not_planned"});
    let got = world.patch("will", &path, &close);
    assert_eq!(got.json["state_reason"], "not_planned");
    assert_eq!(got.json["closed_by"]["login"], "will");
    let got = world.get("reed", &format!("{REPO}/issues?state=all&labels=BUG"));
    assert_eq!(got.json.as_array().unwrap().len(), 1);
}
