//! Requests that the model does not understand: each is refused with words, and recorded.

use crate::client::{ask, prompt};
use ralph_model::{Script, Server, Turn, When, Wire};
use serde_json::json;

fn refused(server: &Server, (status, body): (u16, String), words: &str) {
    assert_eq!(status, 400, "{body}");
    assert!(body.contains(words), "{body}");
    let refusals = server.refusals();
    assert!(refusals.iter().any(|reason| reason.contains(words)), "{refusals:?}");
}

#[test]
fn what_is_not_understood_is_refused_and_recorded() {
    let turn = Turn::new().write("a", "b");
    let script = Script::new().role("planner", When::contains("planner"), [turn]);
    let server = Server::start(script).unwrap();
    let other = ask(&server, "POST", "/v1/embeddings", &json!({}));
    refused(&server, other, "this model does not know POST /v1/embeddings");
    let broken = ask(&server, "POST", "/v1/messages", &json!({ "prompt": "hello" }));
    refused(&server, broken, "the request has no list `messages`");
    refused(
        &server,
        prompt(&server, Wire::Chat, "stranger", None),
        "no role of the script knows the prompt",
    );
    let body = json!({ "model": "m", "tools": [{ "name": "Read" }], "messages": [{ "role": "user", "content": "planner" }] });
    let toolless = ask(&server, "POST", "/v1/messages", &body);
    refused(&server, toolless, "no tool that writes a file is among those offered: Read");
    assert_eq!(server.recorded().len(), 4);
}

#[test]
fn credentials_are_not_recorded() {
    let server = Server::start(Script::new()).unwrap();
    ask(&server, "HEAD", "/", &json!({}));
    let recorded = format!("{:?}", server.recorded());
    assert!(recorded.contains("content-length") && !recorded.contains("secret"), "{recorded}");
}
