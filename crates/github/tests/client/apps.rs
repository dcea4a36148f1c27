//! The signatures of an App's requests, where the embedded forge would not see a difference.

use crate::script::{BASE, HandClock, repo};
use http::{Request, Response};
use ralph_engine::ports::Forge;
use ralph_github::{Account, Address, AppKey, Client, NoResponse, Secret, Transport};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Answers as GitHub does, with further pages below `/repositories/<id>`, and notes who was asked with what.
#[derive(Debug, Clone, Default)]
struct GitHub(Rc<RefCell<Vec<String>>>);

impl Transport for GitHub {
    fn send(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        let path = request.uri().path();
        let shown = request.headers().get("authorization").and_then(|value| value.to_str().ok());
        let shown = shown.unwrap_or_default().trim_start_matches("Bearer ");
        let kind = if shown.matches('.').count() == 2 { "claim" } else { shown };
        self.0.borrow_mut().push(format!("{path} {kind}"));
        let page = |body: &str| Response::new(body.as_bytes().to_vec());
        Ok(match path {
            "/repos/acme/widgets/installation" => page(r#"{"id":5}"#),
            "/app/installations/5/access_tokens" => {
                page(r#"{"token":"ghs_5","expires_at":"2026-01-31T13:00:05Z"}"#)
            }
            "/repos/acme/widgets/labels" => {
                let mut first = page("[]");
                let next = format!("<{BASE}/repositories/7/labels?page=2>; rel=\"next\"");
                first.headers_mut().insert("link", next.parse().expect("a header"));
                first
            }
            _ => page("[]"),
        })
    }
}

#[test]
fn further_pages_are_asked_for_with_the_same_token() {
    let pem = Secret::new(include_str!("../../../forge/tests/claims/app-key.pem"));
    let key = AppKey::read(1, &pem).expect("a key");
    let address = Address::parse(BASE).expect("an address");
    let account = Account::of_app(address, (key, None), HandClock::new().clock(), 7);
    let asked = GitHub::default();
    let mut client = Client::new(asked.clone(), Arc::new(account));
    client.labels(&repo()).expect("labels");
    let expected = [
        "/repos/acme/widgets/installation claim",
        "/app/installations/5/access_tokens claim",
        "/repos/acme/widgets/labels ghs_5",
        "/repositories/7/labels ghs_5",
    ];
    assert_eq!(*asked.0.borrow(), expected);
}
