//! Several handles, several threads, one account: writes go one at a time.

use crate::script::{BASE, HandClock, account, issue, repo};
use http::{Request, Response};
use ralph_engine::ports::{Answer, Forge};
use ralph_github::{Account, Address, AppKey, Client, NoResponse, Secret, Transport};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

/// Counts the writes that are under way and the most there ever were.
#[derive(Debug, Default)]
struct Counter {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[derive(Debug, Clone)]
struct Slow(Arc<Counter>);

impl Transport for Slow {
    fn send(&mut self, _request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        let counter = &self.0;
        counter.most.fetch_max(counter.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        for _ in 0..100 {
            std::thread::yield_now();
        }
        counter.now.fetch_sub(1, Ordering::SeqCst);
        Ok(Response::new(b"[]".to_vec()))
    }
}

/// Answers what an App asks for, and counts the tokens it gives out.
#[derive(Debug, Clone, Default)]
struct TokenEndpoint(Arc<AtomicUsize>);

impl Transport for TokenEndpoint {
    fn send(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        let path = request.uri().path();
        Ok(Response::new(if path.ends_with("/installation") {
            std::thread::yield_now();
            br#"{"id":5}"#.to_vec()
        } else if path.ends_with("/access_tokens") {
            let number = self.0.fetch_add(1, Ordering::SeqCst);
            let token =
                format!(r#"{{"token":"ghs_{number}","expires_at":"2026-01-31T13:00:05Z"}}"#);
            token.into_bytes()
        } else {
            b"[]".to_vec()
        }))
    }
}

#[test]
fn one_token_is_fetched_however_many_need_it() {
    const WORKERS: usize = 8;
    let pem = Secret::new(include_str!("../../../forge/tests/claims/app-key.pem"));
    let address = Address::parse(BASE).expect("an address");
    let key = AppKey::read(1, &pem).expect("a key");
    let account = Account::of_app(address, (key, None), HandClock::new().clock(), 7);
    let (account, endpoint) = (Arc::new(account), TokenEndpoint::default());
    let start = Barrier::new(WORKERS);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            let mut client = Client::new(endpoint.clone(), Arc::clone(&account));
            let start = &start;
            scope.spawn(move || {
                start.wait();
                client.git_token(&repo()).expect("a token")
            });
        }
    });
    assert_eq!(endpoint.0.load(Ordering::SeqCst), 1);
}

#[test]
fn writes_of_all_handles_go_one_at_a_time() {
    let (counter, account) = (Arc::new(Counter::default()), account(&HandClock::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let mut client = Client::new(Slow(Arc::clone(&counter)), Arc::clone(&account));
            scope.spawn(move || {
                for _ in 0..50 {
                    assert_eq!(client.add_label(&issue(7), "x"), Answer::Happened(()));
                }
            });
        }
    });
    assert_eq!(counter.most.load(Ordering::SeqCst), 1);
}
