//! Faults on order, as they look from outside.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::test_server::{REPO, TestServer};
use serde_json::json;

fn order(server: &TestServer, rule: &serde_json::Value) {
    server.owner().ask("PUT", "/_forge/faults", Some(&json!([rule])));
}

#[test]
fn a_lost_answer_closes_the_connection_without_a_byte_and_the_change_is_done() {
    let (server, _work) = TestServer::new();
    order(
        &server,
        &json!({"method": "POST", "path": "/issues$", "drop_response": true, "times": 1}),
    );
    let host = server.base().strip_prefix("http://").unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    let body = r#"{"title":"T"}"#;
    let request = format!(
        "POST /repos/{REPO}/issues HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer bot-token\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A connection that is closed in the middle may also be reset.
    drop(connection.read_to_end(&mut answer));
    assert_eq!(String::from_utf8_lossy(&answer), "");
    assert_eq!(server.bot().get(&format!("/repos/{REPO}/issues/1"))["title"], "T");
}

#[test]
fn an_answer_is_delayed_and_others_are_not() {
    let (server, _work) = TestServer::new();
    order(&server, &json!({"path": "/issues$", "delay_ms": 60_000, "times": 1}));
    let waiting = server.bot();
    let late = std::thread::spawn(move || {
        waiting.send("GET", &format!("/repos/{REPO}/issues"), None).is_ok()
    });
    while server.bot().get("/_forge/requests").to_string().matches("issues").count() == 0 {}
    assert_eq!(server.bot().status("GET", &format!("/repos/{REPO}"), None), 200);
    assert!(!late.is_finished());
    drop(server);
    assert!(!late.join().unwrap(), "its connection ended with the server");
}

#[test]
fn a_fault_on_order_is_not_repeated_when_the_forge_comes_back() {
    let (mut server, _work) = TestServer::new();
    order(&server, &json!({"method": "POST", "status": 502}));
    let issues = format!("/repos/{REPO}/issues");
    let issue = json!({"title": "T"});
    assert_eq!(server.bot().status("POST", &issues, Some(&issue)), 502);
    server.restart();
    assert_eq!(server.bot().status("POST", &issues, Some(&issue)), 201);
}

#[test]
fn a_push_meets_faults_too() {
    let (server, work) = TestServer::new();
    let sha = work.commit("a", "1");
    order(&server, &json!({"path": "git-receive-pack$", "status": 503, "times": 1}));
    let said = work.try_git(&["push", "origin", "main"]);
    assert!(said.text.contains("503"), "{}", said.text);
    assert_ne!(server.tip("main"), sha);
    order(&server, &json!({"path": "git-receive-pack$", "drop_response": true, "times": 1}));
    assert!(!work.try_git(&["push", "origin", "main"]).went_well);
    assert_eq!(server.tip("main"), sha, "it was done, only the answer is lost");
}
