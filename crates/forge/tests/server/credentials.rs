//! Credentials that may read, and credentials that may push.

use crate::client::Clone;
use crate::test_server::{REPO, TestServer, Who};
use serde_json::json;

#[test]
fn a_wrong_token_is_refused() {
    let (server, work) = TestServer::new();
    let host = server.base().strip_prefix("http://").unwrap();
    let url = format!("http://ada:wrong@{host}/{REPO}.git");
    let said = work.try_git(&["push", &url, "main:other"]);
    assert!(said.text.contains("Authentication failed"), "{}", said.text);
    let header = "http.extraHeader=Authorization: Bearer wrong";
    let said = work.try_git(&["-c", header, "ls-remote", &url]);
    assert!(!said.went_well, "even where no token is needed");
}

#[test]
fn a_push_needs_a_token() {
    let (server, work) = TestServer::new();
    let said = work.try_git(&["push", &format!("{}/{REPO}.git", server.base()), "main:other"]);
    assert!(said.text.contains("could not read Username"), "{}", said.text);
}

#[test]
fn a_private_repository_is_hidden_from_strangers() {
    let (server, _work) = TestServer::new();
    let private = json!({"private": true});
    server.owner().ask("PATCH", &format!("/repos/{REPO}"), Some(&private));
    let url = format!("{}/{REPO}.git", server.base());
    let place = Clone::empty(server.place("place"));
    assert!(place.try_git(&["ls-remote", &url]).text.contains("could not read Username"));
    place.git(&["ls-remote", &server.url(Who::Bot, REPO)]);
    let collaborator = format!("/repos/{REPO}/collaborators/ralph-bot");
    server.owner().ask("DELETE", &collaborator, None);
    let said = place.try_git(&["ls-remote", &server.url(Who::Bot, REPO)]);
    assert!(said.text.contains("not found"), "{}", said.text);
}

#[test]
fn whoever_may_only_read_does_not_push() {
    let (server, work) = TestServer::new();
    let collaborator = format!("/repos/{REPO}/collaborators/ralph-bot");
    server.owner().ask("PUT", &collaborator, Some(&json!({"permission": "pull"})));
    work.commit("a", "1");
    let said = work.try_git(&["push", &server.url(Who::Bot, REPO), "main"]);
    assert!(said.text.contains("403"), "{}", said.text);
}

#[test]
fn a_token_works_in_a_header_too() {
    let (server, work) = TestServer::new();
    work.commit("a", "1");
    let header = "http.extraHeader=Authorization: Bearer bot-token";
    let url = format!("{}/{REPO}.git", server.base());
    work.git(&["-c", header, "push", "--quiet", &url, "main"]);
}
