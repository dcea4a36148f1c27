//! Webhooks as a receiver gets them.

use std::net::TcpListener;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

use crate::receiver::receiver;
use crate::test_server::{REPO, TestServer};

fn hook(server: &TestServer, url: &str, events: &[&str]) -> u64 {
    let config = json!({"url": url, "content_type": "json", "secret": "it is a secret"});
    let hook = json!({"name": "web", "active": true, "events": events, "config": config});
    let made = server.owner().ask("POST", &format!("/repos/{REPO}/hooks"), Some(&hook));
    made["id"].as_u64().unwrap()
}

#[test]
fn a_push_is_announced_with_a_signature_and_the_outcome_is_kept() {
    let (mut server, work) = TestServer::new();
    let (url, letters) = receiver(2, "200 OK");
    let id = hook(&server, &url, &["push"]);
    let sha = work.commit("a", "1");
    work.git(&["push", "--quiet"]);
    let letters = letters.join().unwrap();
    let push = letters.iter().find(|letter| letter.header("x-github-event") == "push").unwrap();
    assert!(push.body.contains(&sha));
    let mut mac = Hmac::<Sha256>::new_from_slice(b"it is a secret").unwrap();
    mac.update(push.body.as_bytes());
    let digits: String =
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(push.header("x-hub-signature-256"), format!("sha256={digits}"));
    let list = format!("/repos/{REPO}/hooks/{id}/deliveries");
    let known = |server: &TestServer| {
        let kept = server.owner().get(&list);
        let codes = kept.as_array().unwrap().iter().map(|one| one["status_code"].clone());
        codes.collect::<Vec<_>>()
    };
    while known(&server) != [json!(200), json!(200)] {}
    server.restart();
    assert_eq!(known(&server), [json!(200), json!(200)]);
}

#[test]
fn a_receiver_that_is_not_there_holds_nobody_up() {
    let (server, work) = TestServer::new();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    hook(&server, &format!("http://{gone}/hook"), &["*"]);
    let (url, letters) = receiver(1, "204 No Content");
    hook(&server, &url, &["issues"]);
    work.commit("a", "1");
    work.git(&["push", "--quiet"]);
    assert_eq!(letters.join().unwrap()[0].header("x-github-event"), "ping");
}
