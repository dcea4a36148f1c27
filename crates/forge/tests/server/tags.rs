//! Tags and other references by REST: git has them, they last, and git's rules hold.

use serde_json::json;

use crate::test_server::{REPO, TestServer, Who, text};

fn at(path: &str) -> String {
    format!("/repos/{REPO}/{path}")
}

#[test]
fn references_made_by_rest_are_gits_and_outlive_a_restart() {
    let (mut server, work) = TestServer::new();
    let first = work.git(&["rev-parse", "HEAD"]);
    let second = work.commit("more", "1");
    work.git(&["push", "--quiet"]);
    let new = json!({"tag": "v2", "message": "Two", "object": second, "type": "commit"});
    let tag = text(&server.owner().ask("POST", &at("git/tags"), Some(&new))["sha"]);
    for (name, sha) in [("tags/v1", &first), ("tags/v2", &tag), ("notes/x", &first)] {
        let body = json!({"ref": format!("refs/{name}"), "sha": sha});
        server.owner().ask("POST", &at("git/refs"), Some(&body));
        assert_eq!(server.owner().status("POST", &at("git/refs"), Some(&body)), 422, "twice");
    }
    server.restart();
    let listed =
        work.git(&["ls-remote", &server.url(Who::Bot, REPO), "refs/tags/*", "refs/notes/*"]);
    let mut expected = vec![
        format!("{first}\trefs/notes/x"),
        format!("{first}\trefs/tags/v1"),
        format!("{tag}\trefs/tags/v2"),
        format!("{second}\trefs/tags/v2^{{}}"),
    ];
    expected.sort_by_key(|line| line.split_once('\t').map(|(_sha, name)| name.to_owned()));
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    let forward = json!({"sha": second});
    server.owner().ask("PATCH", &at("git/refs/tags/v1"), Some(&forward));
    let back = json!({"sha": first});
    assert_eq!(server.owner().status("PATCH", &at("git/refs/tags/v1"), Some(&back)), 422);
    server.owner().ask(
        "PATCH",
        &at("git/refs/tags/v1"),
        Some(&json!({"sha": first, "force": true})),
    );
    let tags = server.owner().get(&at("tags"));
    let tags: Vec<_> =
        tags.as_array().unwrap().iter().map(|one| text(&one["commit"]["sha"])).collect();
    assert_eq!(tags, [second, first]);
    assert_eq!(server.owner().status("DELETE", &at("git/refs/tags/v1"), None), 204);
    assert_eq!(server.owner().status("DELETE", &at("git/refs/tags/v1"), None), 422);
    assert_eq!(server.owner().status("GET", &at("git/ref/tags/v1"), None), 404);
    assert_eq!(server.owner().get(&at("git/refs/tags"))[0]["ref"], "refs/tags/v2");
}

#[test]
fn names_that_git_refuses_and_what_is_not_there_are_refused() {
    let (server, work) = TestServer::new();
    let sha = work.git(&["rev-parse", "HEAD"]);
    let blob = work.git(&["rev-parse", "HEAD:README.md"]);
    let make = |name: &str, sha: &str| {
        server.owner().status("POST", &at("git/refs"), Some(&json!({"ref": name, "sha": sha})))
    };
    assert_eq!((make("refs/tags/blob", &blob), make("refs/tags/a", &sha)), (201, 201));
    for name in [
        "refs/tags/a/b",
        "refs/tags/a..b",
        "refs/tags/a@{b",
        "refs/tags/.a",
        "refs/tags/a.lock",
        "refs/tags/",
        "refs/tags",
        "tags/x",
        "refs/pull/1/head",
        "refs/tags/a\u{7f}",
        "refs/../x/y",
    ] {
        assert_eq!(make(name, &sha), 422, "{name}");
    }
    assert_eq!(make("refs/tags/none", &"1".repeat(40)), 422);
    let tag = |name: &str, object: &str, kind: &str| {
        let body = json!({"tag": name, "message": "m", "object": object, "type": kind});
        server.owner().status("POST", &at("git/tags"), Some(&body))
    };
    assert_eq!(tag("t", &sha, "commit"), 201);
    assert_eq!(tag("t", &sha, "tree"), 422);
    assert_eq!(tag("t", &blob, "commit"), 422);
    assert_eq!(tag("t\ntagger x", &sha, "commit"), 422);
    assert_eq!(server.owner().status("GET", &at(&format!("git/tags/{sha}")), None), 404);
    assert_eq!(server.owner().get(&at("tags")).as_array().unwrap().len(), 1, "a blob is no commit");
    work.git(&["fetch", "--quiet", "--tags"]);
}

#[test]
fn a_commit_is_made_over_a_tree_and_over_nothing_else() {
    let (mut server, work) = TestServer::new();
    let names =
        ["HEAD^{tree}", "HEAD", "HEAD:README.md"].map(|name| work.git(&["rev-parse", name]));
    let [tree, sha, blob] = &names;
    let none = "1".repeat(40);
    for (over, status) in [(tree, 201), (sha, 422), (blob, 422), (&none, 422)] {
        let body = json!({"message": "m", "tree": over, "parents": [sha]});
        let (found, made) = server.owner().send("POST", &at("git/commits"), Some(&body)).unwrap();
        assert_eq!(found, status, "{over}: {made}");
        if status == 201 {
            let body = json!({"ref": "refs/tags/made", "sha": made["sha"]});
            server.owner().ask("POST", &at("git/refs"), Some(&body));
        }
    }
    server.restart();
    assert_eq!(server.notices(), [""; 0]);
    work.git(&["fetch", "--quiet", &server.url(Who::Bot, REPO), "refs/tags/made"]);
}
