//! Merges that the forge makes in a real repository.

use crate::client::Clone;
use crate::test_server::{REPO, TestServer, Who, text};
use serde_json::{Value, json};

fn pull(server: &TestServer, work: &Clone, branch: &str, base: &str) -> u64 {
    work.git(&["push", "--quiet", "origin", &format!("HEAD:refs/heads/{branch}")]);
    let pull = json!({"title": "Change", "head": branch, "base": base});
    let made = server.bot().ask("POST", &format!("/repos/{REPO}/pulls"), Some(&pull));
    made["number"].as_u64().unwrap()
}

fn merge(server: &TestServer, number: u64, method: &str) -> Value {
    let path = format!("/repos/{REPO}/pulls/{number}/merge");
    server.bot().ask("PUT", &path, Some(&json!({"merge_method": method})))
}

#[test]
fn each_method_gives_the_commits_it_promises() {
    for (method, parents) in [("merge", 2), ("squash", 1), ("rebase", 1)] {
        let (server, work) = TestServer::new();
        let base = work.git(&["rev-parse", "HEAD"]);
        work.git(&["switch", "--quiet", "--create", "feature"]);
        work.commit("feature", "1\n");
        let number = pull(&server, &work, "feature", "main");
        work.git(&["switch", "--quiet", "main"]);
        work.commit("main", "1\n");
        work.git(&["push", "--quiet"]);
        let merged = text(&merge(&server, number, method)["sha"]);
        work.git(&["pull", "--quiet"]);
        assert_eq!(work.git(&["rev-parse", "HEAD"]), merged, "{method}");
        let line = work.git(&["rev-list", "--parents", "--max-count=1", "HEAD"]);
        assert_eq!(line.split(' ').count() - 1, parents, "{method}");
        assert_eq!(work.read("feature"), "1\n", "{method}");
        assert!(work.try_git(&["merge-base", "--is-ancestor", &base, "HEAD"]).went_well);
        work.git(&["fsck", "--strict"]);
    }
}

#[test]
fn two_changes_of_one_file_merge_where_their_lines_are_apart() {
    let (server, work) = TestServer::new();
    let lines: Vec<String> = (0..20).map(|number| format!("line {number}\n")).collect();
    work.commit("list", &lines.concat());
    work.git(&["push", "--quiet"]);
    work.git(&["switch", "--quiet", "--create", "feature"]);
    work.commit("list", &lines.concat().replace("line 2\n", "two\n"));
    let number = pull(&server, &work, "feature", "main");
    work.git(&["switch", "--quiet", "main"]);
    work.commit("list", &lines.concat().replace("line 18\n", "eighteen\n"));
    work.git(&["push", "--quiet"]);
    merge(&server, number, "merge");
    work.git(&["pull", "--quiet"]);
    assert!(work.read("list").contains("two\n") && work.read("list").contains("eighteen\n"));
}

#[test]
fn a_push_that_brings_the_head_of_a_pull_into_its_base_merges_it() {
    let (server, work) = TestServer::new();
    work.git(&["switch", "--quiet", "--create", "feature"]);
    work.commit("feature", "1\n");
    let number = pull(&server, &work, "feature", "main");
    work.git(&["switch", "--quiet", "main"]);
    work.commit("main", "1\n");
    work.git(&["merge", "--quiet", "--no-edit", "feature"]);
    work.git(&["push", "--quiet"]);
    let shown = server.bot().get(&format!("/repos/{REPO}/pulls/{number}"));
    assert_eq!((&shown["state"], &shown["merged"]), (&json!("closed"), &json!(true)));
    assert_eq!(text(&shown["merge_commit_sha"]), server.tip("main"));
    assert_eq!(text(&shown["merged_by"]["login"]), server.credentials(Who::Owner).login);
    let events = server.bot().get(&format!("/repos/{REPO}/issues/{number}/events"));
    let events: Vec<_> = events.as_array().unwrap().iter().map(|it| text(&it["event"])).collect();
    assert_eq!(events, ["merged", "closed"]);
}

#[test]
fn a_conflict_is_dirty_and_not_merged() {
    let (server, work) = TestServer::new();
    work.git(&["switch", "--quiet", "--create", "feature"]);
    work.commit("README.md", "mine\n");
    let number = pull(&server, &work, "feature", "main");
    work.git(&["switch", "--quiet", "main"]);
    work.commit("README.md", "theirs\n");
    work.git(&["push", "--quiet"]);
    let path = format!("/repos/{REPO}/pulls/{number}");
    server.bot().get(&path);
    assert_eq!(server.bot().get(&path)["mergeable_state"], "dirty");
    assert_eq!(server.bot().status("PUT", &format!("{path}/merge"), Some(&json!({}))), 405);
}

#[test]
fn a_branch_is_brought_up_to_date_soon_after_it_was_asked_for() {
    let (server, work) = TestServer::new();
    work.git(&["switch", "--quiet", "--create", "feature"]);
    let before = work.commit("feature", "1\n");
    let number = pull(&server, &work, "feature", "main");
    work.git(&["switch", "--quiet", "main"]);
    work.commit("main", "1\n");
    work.git(&["push", "--quiet"]);
    let path = format!("/repos/{REPO}/pulls/{number}/update-branch");
    server.bot().ask("PUT", &path, Some(&json!({})));
    let after = server.tip("feature");
    assert_ne!(after, before, "it is done before the next request");
    let clone = server.clone(Who::Owner, "clone");
    let parents = clone.git(&["rev-list", "--parents", "--max-count=1", &after]);
    assert_eq!(parents.split(' ').count(), 3);
}

#[test]
fn files_of_a_pull_come_with_counts_and_patch() {
    let (server, work) = TestServer::new();
    work.git(&["switch", "--quiet", "--create", "feature"]);
    work.commit("README.md", "# app\nmore\n");
    let number = pull(&server, &work, "feature", "main");
    let files = server.bot().get(&format!("/repos/{REPO}/pulls/{number}/files"));
    assert_eq!((&files[0]["additions"], &files[0]["deletions"]), (&json!(1), &json!(0)));
    assert!(text(&files[0]["patch"]).contains("+more"));
    assert_eq!(files[0]["sha"], work.git(&["rev-parse", "HEAD:README.md"]));
}
