//! Clones, fetches and pushes with the real git.

use crate::client::Clone;
use crate::test_server::{REPO, TestServer, Who};
use serde_json::json;
use std::thread;

#[test]
fn what_is_pushed_is_cloned_and_fetched() {
    let (server, work) = TestServer::new();
    let other = server.clone(Who::Bot, "other");
    assert_eq!(other.read("README.md"), "# app\n");
    let sha = work.commit("src/a.txt", "a\n");
    work.git(&["push", "--quiet"]);
    other.git(&["pull", "--quiet"]);
    assert_eq!(other.git(&["rev-parse", "HEAD"]), sha);
    assert_eq!(server.tip("main"), sha);
}

#[test]
fn a_public_repository_is_cloned_by_anybody_in_every_version_of_the_protocol() {
    let (server, _work) = TestServer::new();
    let url = format!("{}/{REPO}", server.base());
    for version in ["0", "1", "2"] {
        let place = Clone::empty(server.place(&format!("v{version}")));
        let protocol = format!("protocol.version={version}");
        place.git(&["-c", &protocol, "fetch", "--quiet", &url, "main"]);
        assert_eq!(place.git(&["show", "FETCH_HEAD:README.md"]), "# app");
    }
}

#[test]
fn a_clone_may_leave_out_what_it_does_not_need_yet() {
    let (server, work) = TestServer::new();
    work.commit("large", &"x".repeat(10_000));
    work.git(&["push", "--quiet"]);
    let url = server.url(Who::Owner, REPO);
    let path = server.place("partial");
    let path = path.to_str().unwrap();
    let said = work.try_git(&["clone", "--quiet", "--bare", "--filter=blob:none", &url, path]);
    assert!(said.went_well && !said.text.contains("filtering not recognized"), "{}", said.text);
    let partial = Clone { path: path.into() };
    let missing = partial.git(&["rev-list", "--objects", "--all", "--missing=print"]);
    assert!(missing.lines().any(|line| line.starts_with('?')), "{missing}");
}

#[test]
fn many_pushes_are_packed_together() {
    let (server, work) = TestServer::new();
    for number in 0..55 {
        work.commit("file", &number.to_string());
        work.git(&["push", "--quiet"]);
    }
    let folder = std::fs::read_dir(server.place("data/git")).unwrap().next().unwrap().unwrap();
    let packs = folder.path().join("objects/pack");
    let is_packed = || {
        let mut files = std::fs::read_dir(&packs).unwrap();
        files.any(|file| file.unwrap().path().extension().is_some_and(|end| end == "pack"))
    };
    assert!((0..2_000_000).any(|_again| is_packed()), "nothing was packed");
    let clone = server.clone(Who::Owner, "clone");
    assert_eq!(clone.git(&["rev-list", "--count", "HEAD"]), "56");
}

#[test]
fn the_first_branch_pushed_is_what_a_clone_checks_out() {
    let server = TestServer::empty();
    server.owner().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    let work = Clone::empty(server.place("work"));
    work.commit("a", "1");
    work.git(&["push", "--quiet", &server.url(Who::Owner, REPO), "HEAD:refs/heads/trunk"]);
    let clone = server.clone(Who::Owner, "clone");
    assert_eq!(clone.git(&["symbolic-ref", "--short", "HEAD"]), "trunk");
}

#[test]
fn a_protected_branch_is_not_forced_and_the_client_is_told_in_githubs_words() {
    let (server, work) = TestServer::new();
    server.protect("main", &[]);
    work.git(&["commit", "--quiet", "--amend", "--message", "Other"]);
    let said = work.try_git(&["push", "--force", "origin", "main"]);
    assert!(!said.went_well);
    for words in [
        "remote: error: GH006: Protected branch update failed for refs/heads/main.",
        "remote: error: Cannot force-push to this branch",
        "! [remote rejected] main -> main (protected branch hook declined)",
    ] {
        assert!(said.text.contains(words), "{words} is not in {}", said.text);
    }
}

#[test]
fn a_branch_that_requires_a_check_takes_no_push_without_it() {
    let (server, work) = TestServer::new();
    server.protect("main", &["CI"]);
    let before = server.tip("main");
    let sha = work.commit("a", "1");
    let said = work.try_git(&["push", "origin", "main"]);
    assert!(said.text.contains("Required status check \"CI\" is expected."), "{}", said.text);
    assert_eq!(server.tip("main"), before);
    work.git(&["push", "--quiet", "origin", "main:work"]);
    let status = json!({"state": "success", "context": "CI"});
    server.owner().ask("POST", &format!("/repos/{REPO}/statuses/{sha}"), Some(&status));
    work.git(&["push", "--quiet", "origin", "main"]);
    assert_eq!(server.tip("main"), sha);
}

#[test]
fn an_atomic_push_moves_everything_or_nothing() {
    let (server, work) = TestServer::new();
    server.protect("main", &["CI"]);
    let before = server.tip("main");
    work.commit("a", "1");
    let said = work.try_git(&["push", "--atomic", "origin", "main", "main:other"]);
    assert!(!said.went_well);
    assert_eq!(server.tip("main"), before);
    let other = format!("/repos/{REPO}/git/ref/heads/other");
    assert_eq!(server.owner().status("GET", &other, None), 404);
    let said = work.try_git(&["push", "origin", "main", "main:other"]);
    assert!(!said.went_well, "one of the two is still refused");
    assert_eq!(server.owner().status("GET", &other, None), 200);
}

#[test]
fn branches_are_deleted_but_not_the_default_one() {
    let (server, work) = TestServer::new();
    work.git(&["push", "--quiet", "origin", "main:spare"]);
    work.git(&["push", "--quiet", "origin", "--delete", "spare"]);
    let listed = work.git(&["ls-remote", "--heads", "origin"]);
    assert!(listed.ends_with("refs/heads/main"), "{listed}");
    let said = work.try_git(&["push", "origin", "--delete", "main"]);
    assert!(said.text.contains("refusing to delete the current branch"), "{}", said.text);
    assert_eq!(server.tip("main").len(), 40);
}

#[test]
fn tags_are_kept_and_fetched() {
    let (mut server, work) = TestServer::new();
    work.git(&["tag", "--annotate", "--message", "First", "v1"]);
    work.git(&["push", "--quiet", "origin", "v1"]);
    server.restart();
    let clone = server.clone(Who::Owner, "clone");
    assert_eq!(clone.git(&["rev-parse", "v1"]), work.git(&["rev-parse", "v1"]));
    let said = work.try_git(&["push", &server.url(Who::Owner, REPO), "v1:refs/pull/1/head"]);
    assert!(said.text.contains("hidden ref"), "{}", said.text);
}

#[test]
fn of_two_pushes_at_once_one_wins() {
    let (server, _work) = TestServer::new();
    let clones: Vec<Clone> = (0..4)
        .map(|number| {
            let clone = server.clone(Who::Bot, &format!("clone-{number}"));
            clone.commit(&format!("file-{number}"), "1");
            clone
        })
        .collect();
    let pushes = clones.into_iter().map(|clone| {
        thread::spawn(move || {
            let said = clone.try_git(&["push", "origin", "main"]);
            (said.went_well, clone.git(&["rev-parse", "HEAD"]))
        })
    });
    let pushes: Vec<_> = pushes.collect();
    let ended: Vec<_> = pushes.into_iter().map(|push| push.join().unwrap()).collect();
    let winners: Vec<_> = ended.iter().filter(|(went_well, _sha)| *went_well).collect();
    assert_eq!(winners.len(), 1, "{ended:?}");
    assert_eq!(server.tip("main"), winners[0].1);
}

#[test]
fn a_commit_that_is_named_is_fetched_though_no_branch_leads_to_it() {
    let (server, work) = TestServer::new();
    let first = work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "main:gone"]);
    work.git(&["push", "--quiet", "origin", "--delete", "gone"]);
    let clone = server.clone(Who::Owner, "clone");
    clone.git(&["fetch", "--quiet", "origin", &first]);
    assert_eq!(clone.git(&["rev-parse", "FETCH_HEAD"]), first);
}

#[test]
fn the_head_of_a_pull_request_is_fetched_by_its_number() {
    let (server, work) = TestServer::new();
    let sha = work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "main:work"]);
    let pull = json!({"title": "T", "head": "work", "base": "main"});
    server.bot().ask("POST", &format!("/repos/{REPO}/pulls"), Some(&pull));
    work.git(&["fetch", "--quiet", "origin", "refs/pull/1/head"]);
    assert_eq!(work.git(&["rev-parse", "FETCH_HEAD"]), sha);
}

#[test]
fn a_name_with_a_space_is_no_name_of_a_repository() {
    let server = TestServer::empty();
    let (status, _body) =
        server.owner().send("POST", "/user/repos", Some(&json!({"name": "a b"}))).unwrap();
    assert_eq!(status, 422);
}
