//! A site with people of every role, and short ways to ask it as one of them.

use http::{Method, Request, Response};
use ralph_forge::{
    AccountKind, Answered, BranchCommit, Content, Delivery, NewRepository, Permission, Sha, Site,
    SiteSettings,
};
use serde_json::Value;

use crate::contract;
use crate::mutations::{Change, Exchange};

pub(crate) const BASE: &str = "http://forge.test";
pub(crate) const REPO: &str = "/repos/ada/app";

pub(crate) struct World {
    pub(crate) site: Site,
    pub(crate) now_ms: u64,
    /// Falsifies answers, to prove that a check notices.
    pub(crate) mutation: Option<Change>,
}

/// An answer that keeps to GitHub's description.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) response: Response<Vec<u8>>,
    pub(crate) json: Value,
    pub(crate) answered: Answered,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.response.headers().get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// `status message`, with the first detail.
    pub(crate) fn refusal(&self) -> String {
        let message = self.json["message"].as_str().expect("a message");
        let detail = &self.json["errors"][0];
        let words =
            if detail.is_null() { message.to_owned() } else { format!("{message}: {detail}") };
        format!("{} {words}", self.status)
    }
}

impl World {
    /// `ada` owns `ada/app`; `max` maintains, `will` writes, `tess` triages, `reed` reads, `zoe` is
    /// a stranger. Each has the token `t-<login>`.
    pub(crate) fn new() -> Self {
        Self::with(&SiteSettings::default())
    }

    pub(crate) fn with(settings: &SiteSettings) -> Self {
        let mut site = Site::new(SiteSettings { base_url: BASE.to_owned(), ..settings.clone() });
        for login in ["ada", "max", "will", "tess", "reed", "zoe"] {
            site.add_user(login, AccountKind::User, Permission::None);
            site.add_token(login, &format!("t-{login}"));
        }
        let forge = site.forge_mut();
        forge.create_repository(NewRepository::named("ada", "app")).unwrap();
        let roles = [
            ("max", Permission::Maintain),
            ("will", Permission::Write),
            ("tess", Permission::Triage),
            ("reed", Permission::Read),
        ];
        for (login, role) in roles {
            forge.grant("ada/app", login, role).unwrap();
        }
        Self { site, now_ms: 1_700_000_000_000, mutation: None }
    }

    pub(crate) fn send(&mut self, request: &Request<Vec<u8>>) -> Got {
        self.now_ms += 1_000;
        let answered = self.site.respond(self.now_ms, request);
        let response = answered.response.clone();
        let status = response.status().as_u16();
        let json = serde_json::from_slice(response.body()).unwrap_or(Value::Null);
        if let Some(route) = answered.route {
            let method = request.method().as_str();
            let wrong = contract::rest().complaints(method, route, status, response.body());
            assert!(wrong.is_empty(), "{method} {} {status}: {wrong:#?}\n{json:#}", request.uri());
        }
        check_deliveries(&answered.deliveries);
        let mut got = Got { status, response, json, answered };
        if let Some(change) = self.mutation {
            change(&mut Exchange { asked: request, got: &mut got });
        }
        got
    }

    pub(crate) fn ask(&mut self, who: &str, method: Method, path: &str, body: &Value) -> Got {
        self.send(&request(who, method, path, body))
    }

    pub(crate) fn get(&mut self, who: &str, path: &str) -> Got {
        self.ask(who, Method::GET, path, &Value::Null)
    }

    pub(crate) fn post(&mut self, who: &str, path: &str, body: &Value) -> Got {
        self.ask(who, Method::POST, path, body)
    }

    pub(crate) fn put(&mut self, who: &str, path: &str, body: &Value) -> Got {
        self.ask(who, Method::PUT, path, body)
    }

    pub(crate) fn patch(&mut self, who: &str, path: &str, body: &Value) -> Got {
        self.ask(who, Method::PATCH, path, body)
    }

    pub(crate) fn delete(&mut self, who: &str, path: &str) -> Got {
        self.ask(who, Method::DELETE, path, &Value::Null)
    }

    /// An issue by `will`; its number.
    pub(crate) fn issue(&mut self, body: &Value) -> u64 {
        let got = self.post("will", &format!("{REPO}/issues"), body);
        assert_eq!(got.status, 201, "{}", got.json);
        got.json["number"].as_u64().unwrap()
    }

    /// A commit that writes one file, pushed by `will`.
    pub(crate) fn write(&mut self, branch: &str, path: &str, text: &str) -> Sha {
        let (content, now) = (Content::written([(path, text)]), self.now_ms / 1000);
        let (branch, message) = (branch.to_owned(), format!("Write {path}"));
        let commit = BranchCommit { branch, content, message };
        let forge = self.site.forge_mut();
        let (sha, _events) = forge.commit_on_branch("will", now, "ada/app", commit).unwrap();
        sha
    }

    pub(crate) fn tip(&self, branch: &str) -> Sha {
        self.site.forge().branch("ada/app", branch).unwrap()
    }

    /// A branch `name` that adds the file `name`, and a pull from it to `main`; its number.
    pub(crate) fn pull(&mut self, name: &str) -> u64 {
        let sha = self.tip("main");
        let body = serde_json::json!({"ref": format!("refs/heads/{name}"), "sha": sha.to_string()});
        assert_eq!(self.post("will", &format!("{REPO}/git/refs"), &body).status, 201);
        self.write(name, name, name);
        let body = serde_json::json!({"title": name, "head": name, "base": "main"});
        let got = self.post("will", &format!("{REPO}/pulls"), &body);
        assert_eq!(got.status, 201, "{}", got.json);
        got.json["number"].as_u64().unwrap()
    }
}

/// Webhooks keep to GitHub's description too.
pub(crate) fn check_deliveries(deliveries: &[Delivery]) {
    for delivery in deliveries {
        let json = payload(delivery);
        let wrong = contract::webhook_complaints(header(delivery, "x-github-event"), &json);
        assert!(wrong.is_empty(), "{wrong:#?}\n{json:#}");
    }
}

pub(crate) fn header<'a>(delivery: &'a Delivery, name: &str) -> &'a str {
    let found = delivery.headers.iter().find(|(key, _value)| key.eq_ignore_ascii_case(name));
    found.map_or("", |(_key, value)| value)
}

pub(crate) fn payload(delivery: &Delivery) -> Value {
    let text = String::from_utf8(delivery.body.clone()).expect("text");
    let text = match text.strip_prefix("payload=") {
        Some(encoded) => percent_encoding::percent_decode_str(encoded).decode_utf8().expect("text"),
        None => text.into(),
    };
    serde_json::from_str(&text).expect("JSON")
}

pub(crate) fn request(who: &str, method: Method, path: &str, body: &Value) -> Request<Vec<u8>> {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", format!("Bearer t-{who}"))
        .body(body)
        .expect("a request")
}
