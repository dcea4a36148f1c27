//! A transport that answers from a script, for answers that a well-behaved forge does not give.

use http::{Request, Response};
use ralph_core::ids::{Branch, IssueKey, RepoName, Sha};
use ralph_core::time::Time;
use ralph_github::{Account, Address, Client, Clock, NoResponse, Secret, Transport};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub(crate) const BASE: &str = "https://api.github.com";
pub(crate) const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ";
/// 2026-01-31T12:00:05Z
pub(crate) const NOW: Time = Time(1_769_860_805_000);

pub(crate) fn repo() -> RepoName {
    RepoName::parse("acme/widgets").expect("a name")
}

pub(crate) fn issue(number: u64) -> IssueKey {
    IssueKey::new(repo(), number)
}

pub(crate) fn branch(name: &str) -> Branch {
    Branch::new(name)
}

pub(crate) fn sha(letter: char) -> Sha {
    Sha::new(&letter.to_string().repeat(40))
}

/// A clock that stands still until it is set.
#[derive(Debug, Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(NOW.0)))
    }

    pub(crate) fn now(&self) -> Time {
        Time(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn set(&self, to: Time) {
        self.0.store(to.0, Ordering::Relaxed);
    }

    pub(crate) fn clock(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || clock.now())
    }
}

pub(crate) fn account(clock: &HandClock) -> Arc<Account> {
    let address = Address::parse(BASE).expect("an address");
    let account = Account::new(address, &Secret::new(TOKEN), clock.clock(), 7);
    Arc::new(account.expect("a token"))
}

pub(crate) type Answer = Result<Response<Vec<u8>>, NoResponse>;

/// Answers by `METHOD path`, each in its order; the last one stays. What was asked is written down.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script(Rc<RefCell<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    answers: BTreeMap<String, VecDeque<Answer>>,
    asked: Vec<String>,
    bodies: Vec<String>,
}

impl Script {
    pub(crate) fn on(self, request: &str, answer: Answer) -> Self {
        self.0.borrow_mut().answers.entry(request.to_owned()).or_default().push_back(answer);
        self
    }

    /// The requests since the last look, one line each, conditional ones with their tag.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.borrow_mut().asked)
    }

    pub(crate) fn bodies(&self) -> Vec<String> {
        std::mem::take(&mut self.0.borrow_mut().bodies)
    }

    pub(crate) fn client(&self) -> Client<Self> {
        self.client_at(&HandClock::new())
    }

    pub(crate) fn client_at(&self, clock: &HandClock) -> Client<Self> {
        Client::new(self.clone(), account(clock))
    }
}

impl Transport for Script {
    fn send(&mut self, request: Request<Vec<u8>>) -> Answer {
        let url = request.uri().to_string();
        let line = format!("{} {}", request.method(), url.strip_prefix(BASE).unwrap_or(&url));
        let tag = request.headers().get("if-none-match").and_then(|tag| tag.to_str().ok());
        let authorization = request.headers().get("authorization").map(|value| value.as_bytes());
        assert_eq!(authorization, Some(format!("Bearer {TOKEN}").as_bytes()));
        let mut pages = self.0.borrow_mut();
        pages.asked.push(tag.map_or_else(|| line.clone(), |tag| format!("{line} if not {tag}")));
        pages.bodies.push(String::from_utf8_lossy(request.body()).into_owned());
        let answers = pages.answers.get_mut(&line);
        let answers = answers.unwrap_or_else(|| unreachable!("nobody expected {line}"));
        let last = answers.front().filter(|_| answers.len() == 1).cloned();
        last.or_else(|| answers.pop_front()).expect("an answer")
    }
}

pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let builder = Response::builder().status(status);
    let builder =
        headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value));
    Ok(builder.body(body.as_bytes().to_vec()).expect("a response"))
}

pub(crate) fn ok(body: &str) -> Answer {
    answer(200, &[], body)
}

pub(crate) fn says(status: u16, message: &str) -> Answer {
    answer(status, &[], &format!(r#"{{"message":"{message}"}}"#))
}

pub(crate) fn no_answer() -> Answer {
    Err(NoResponse::NoAnswer { why: "the connection was reset".to_owned() })
}

pub(crate) fn not_sent() -> Answer {
    Err(NoResponse::NotSent { why: "connection refused".to_owned() })
}

/// An issue as GitHub sends it, with what we do not read left out.
pub(crate) fn issue_json(number: u64) -> String {
    format!(
        r#"{{"number":{number},"title":"Title {number}","body":null,"state":"open","user":{{"login":"Ada"}},
        "labels":[],"updated_at":"2026-01-31T11:00:00Z"}}"#
    )
}
