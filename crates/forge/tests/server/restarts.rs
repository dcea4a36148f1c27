//! The state after a clean stop and a new start.

use crate::client::{Api, Clone};
use crate::test_server::{REPO, TestServer, Who};
use serde_json::{Value, json};

/// Everything a reader sees, without where and when it was read.
fn everything(api: &Api, base: &str) -> Vec<String> {
    let host = base.strip_prefix("http://").unwrap();
    let lists = ["issues?state=all", "labels", "pulls?state=all", "branches", "issues/comments"];
    let read = |list: &str| api.get(&format!("/repos/{REPO}/{list}"));
    let plain = |value: Value| value.to_string().replace(host, "");
    lists.into_iter().map(read).map(plain).collect()
}

#[test]
fn a_forge_is_the_same_after_a_restart() {
    let (mut server, work) = TestServer::new();
    let issues = format!("/repos/{REPO}/issues");
    let issue =
        json!({"title": "It's \"$(broken)\" \u{1f980}\n", "labels": ["ralph:status:queued"]});
    server.owner().ask("POST", &issues, Some(&issue));
    server.bot().ask("POST", &format!("{issues}/1/comments"), Some(&json!({"body": "Seen."})));
    work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "main:work"]);
    let pull = json!({"title": "Fixes #1", "head": "work", "base": "main", "body": "Fixes #1"});
    server.bot().ask("POST", &format!("/repos/{REPO}/pulls"), Some(&pull));
    server.bot().ask("PUT", &format!("/repos/{REPO}/pulls/2/merge"), Some(&json!({})));
    let before = everything(&server.bot(), server.base());
    server.restart();
    assert_eq!(everything(&server.bot(), server.base()), before);
    assert_eq!(server.owner().get(&format!("{issues}/1"))["state"], "closed");
    let clone = server.clone(Who::Owner, "clone");
    assert_eq!(clone.git(&["rev-parse", "HEAD"]), server.tip("main"));
}

#[test]
fn tokens_of_earlier_starts_stay_good() {
    let (mut server, _work) = TestServer::new();
    server.restart();
    let api = Api::new(server.base(), Some("ada-token"));
    assert_eq!(api.get("/user")["login"], "ada");
}

#[test]
fn references_on_disk_follow_the_model_at_the_next_start() {
    let (mut server, work) = TestServer::new();
    let sha = work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "main", "main:lost", "main:moved"]);
    server.stop();
    let folder =
        std::fs::read_dir(server.place("data/git")).unwrap().next().unwrap().unwrap().path();
    let bare = Clone { path: folder };
    bare.git(&["update-ref", "-d", "refs/heads/lost"]);
    bare.git(&["update-ref", "refs/heads/moved", &format!("{sha}~1")]);
    bare.git(&["update-ref", "refs/heads/extra", &sha]);
    bare.git(&["symbolic-ref", "HEAD", "refs/heads/extra"]);
    server.start();
    let listed = work.git(&["ls-remote", &server.url(Who::Bot, REPO)]);
    let lines = ["HEAD", "refs/heads/lost", "refs/heads/main", "refs/heads/moved"];
    let expected: Vec<String> = lines.iter().map(|name| format!("{sha}\t{name}")).collect();
    assert_eq!(listed, expected.join("\n"));
}
