//! Making repositories, roles in them, and what an empty one answers.

use ralph_forge::{AccountKind, Content, Expected, NewCommit, Permission, PushBranch, on};
use serde_json::json;

use crate::site::{REPO, World};

#[test]
fn an_empty_repository_takes_the_first_pushed_branch_as_its_default() {
    let mut world = World::new();
    let made = world.post("ada", "/user/repos", &json!({"name": "new"}));
    assert_eq!((made.status, &made.json["default_branch"]), (201, &json!("main")));
    let path = "/repos/ada/new";
    assert_eq!(
        world.get("ada", &format!("{path}/commits")).refusal(),
        "409 Git Repository is empty."
    );
    let contents = world.get("ada", &format!("{path}/contents/README.md"));
    assert_eq!(contents.refusal(), "404 This repository is empty.");
    assert_eq!(world.get("ada", &format!("{path}/branches")).json, json!([]));
    let commit = NewCommit {
        parents: Vec::new(),
        content: Content::written([("a", "1")]),
        message: "First".to_owned(),
        author: "ada".to_owned(),
        at: 1,
    };
    let forge = world.site.forge_mut();
    let sha = forge.commit("ada/new", commit).unwrap();
    let push = PushBranch {
        branch: "trunk".to_owned(),
        sha,
        expected_old: Expected::Absent,
        force: false,
    };
    forge.handle("ada", 2, on("ada/new", push)).0.unwrap();
    assert_eq!(world.get("ada", path).json["default_branch"], "trunk");
    let commits = world.get("ada", &format!("{path}/commits")).json;
    assert_eq!(commits[0]["commit"]["message"], "First");
    let twice = world.post("ada", "/user/repos", &json!({"name": "New"}));
    assert_eq!(twice.json["errors"][0]["message"], "name already exists on this account");
}

#[test]
fn someone_added_to_the_forge_collaborates_on_repositories_made_later() {
    let mut world = World::new();
    world.site.add_user("bot", AccountKind::Bot, Permission::Write);
    world.site.add_token("bot", "t-bot");
    world.post("ada", "/user/repos", &json!({"name": "later"}));
    for repo in ["app", "later"] {
        let got = world.get("bot", &format!("/repos/ada/{repo}"));
        assert_eq!(got.json["permissions"]["push"], true, "{repo}");
        assert_eq!(got.json["permissions"]["admin"], false, "{repo}");
    }
    assert_eq!(world.get("bot", "/user").json["type"], "Bot");
}

#[test]
fn the_permission_answer_folds_and_has_the_truth_beside() {
    let mut world = World::new();
    let cases = [
        ("ada", "admin", "admin", [true, true, true]),
        ("max", "write", "maintain", [true, true, true]),
        ("will", "write", "write", [false, true, true]),
        ("tess", "read", "triage", [false, false, true]),
        ("reed", "read", "read", [false, false, false]),
    ];
    for (login, folded, role, [maintain, push, triage]) in cases {
        let got = world.get("will", &format!("{REPO}/collaborators/{login}/permission")).json;
        assert_eq!((&got["permission"], &got["role_name"]), (&json!(folded), &json!(role)));
        let flags = &got["user"]["permissions"];
        assert_eq!(flags["maintain"], maintain, "{login}");
        assert_eq!(flags["push"], push, "{login}");
        assert_eq!(flags["triage"], triage, "{login}");
    }
    let refused = world.get("reed", &format!("{REPO}/collaborators/will/permission"));
    assert_eq!(refused.status, 403);
}

#[test]
fn contents_come_as_base64_as_text_or_as_a_folder() {
    let mut world = World::new();
    world.write("main", "src/deep/lib.rs", "fn main() {}\n");
    let path = format!("{REPO}/contents/src/deep/lib.rs");
    let got = world.get("reed", &path);
    assert_eq!(
        (&got.json["encoding"], &got.json["content"]),
        (&json!("base64"), &json!("Zm4gbWFpbigpIHt9Cg==\n"))
    );
    let mut raw = crate::site::request("reed", http::Method::GET, &path, &json!(null));
    let accept = "application/vnd.github.raw+json".parse().unwrap();
    raw.headers_mut().insert("accept", accept);
    let raw = world.site.respond(world.now_ms, &raw).response;
    assert_eq!(raw.body(), b"fn main() {}\n");
    let root = world.get("reed", &format!("{REPO}/contents")).json;
    let kinds: Vec<_> = root.as_array().unwrap().iter().map(|entry| &entry["type"]).collect();
    assert_eq!(kinds, ["file", "dir"]);
    let folder = world.get("reed", &format!("{REPO}/contents/src/deep")).json;
    assert_eq!(folder[0]["path"], "src/deep/lib.rs");
    assert_eq!(world.get("reed", &format!("{REPO}/contents/none")).status, 404);
    assert_eq!(world.get("reed", &format!("{REPO}/contents/src?ref=none")).status, 404);
}

#[test]
fn names_are_found_in_any_case_and_written_as_they_are() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T", "labels": ["Bug"]}));
    let path = format!("/repos/ADA/App/issues/{number}/labels");
    let labels = world.get("reed", &path).json;
    assert_eq!(labels[0]["url"], "http://forge.test/repos/ada/app/labels/Bug");
}
