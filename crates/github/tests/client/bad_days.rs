//! Whatever comes back, there is an answer and no panic.

use crate::script::{HandClock, account, branch, issue, repo, sha};
use http::{Request, Response};
use proptest::prelude::*;
use ralph_core::ids::{CommentId, Login, PullNumber};
use ralph_core::policy::MergeMethod;
use ralph_core::time::Time;
use ralph_engine::ports::{Forge, LabelDefinition, NewPull};
use ralph_github::{Client, NoResponse, Secret, Transport, webhook};

/// Says the same to everything.
#[derive(Debug, Clone)]
struct Parrot {
    status: u16,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Vec<u8>,
}

impl Transport for Parrot {
    fn send(&mut self, _request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, NoResponse> {
        let mut builder = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            if let Ok(value) = http::HeaderValue::from_bytes(value) {
                builder = builder.header(*name, value);
            }
        }
        builder
            .body(self.body.clone())
            .map_err(|source| NoResponse::NoAnswer { why: source.to_string() })
    }
}

/// Every method of the port, twice, so that kept answers are used as well.
fn ask_everything(parrot: &Parrot) {
    let mut client = Client::new(parrot.clone(), account(&HandClock::new()));
    let (key, repo, head, base) = (issue(7), repo(), branch("a/ä b"), branch("main"));
    let label =
        LabelDefinition { name: String::new(), color: String::new(), description: String::new() };
    let new = NewPull { head: &head, base: &base, title: "", body: "" };
    for _ in 0..2 {
        drop(client.issues_since(&repo, Some(Time(i64::MIN))));
        drop(client.issue(&key));
        drop(client.relations(&key));
        drop(client.label_events(&key, 0));
        drop(client.rights(&repo, &Login::new("/../")));
        drop(client.comments_since(&key, Time(i64::MAX)));
        drop(client.pull(&repo, PullNumber(0)));
        drop(client.pulls_from(&repo, &head));
        drop(client.checks(&repo, &sha('a')));
        drop(client.required(&repo, [&head, &base]));
        drop(client.branches(&repo, &head));
        drop(client.contains(&repo, &sha('a'), &sha('b')));
        drop(client.labels(&repo));
        drop(client.identity());
        drop(client.repository(&repo));
        drop(client.add_label(&key, "\r\n\0"));
        drop(client.remove_label(&key, "\r\n\0"));
        drop(client.create_comment(&key, ""));
        drop(client.edit_comment(&key, CommentId(0), ""));
        drop(client.close_issue(&key));
        drop(client.open_pull(&repo, &new));
        drop(client.edit_pull(&repo, PullNumber(0), ""));
        drop(client.merge(&repo, PullNumber(0), &sha('a'), MergeMethod::Merge));
        drop(client.create_label(&repo, &label));
        drop(client.edit_label(&repo, &label));
        drop(client.create_branch(&repo, &head, &sha('a')));
        drop(client.account().snapshot());
    }
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let json = prop::sample::select(vec![
        "{}",
        "[]",
        "null",
        "[null]",
        "[{}]",
        r#"[{"number":1,"state":"open","updated_at":"2026-01-31T12:00:05Z"}]"#,
        r#"{"message":["no"],"errors":{}}"#,
        r#"{"check_runs":null}"#,
        r#"{"behind_by":-1}"#,
        r#"{"commit":{"sha":""},"protection":{"required_status_checks":{"contexts":null}}}"#,
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        json.prop_map(|text| text.as_bytes().to_vec()),
    ]
}

/// Mostly those whose body is read.
fn status() -> impl Strategy<Value = u16> {
    prop_oneof![Just(200), Just(304), Just(403), Just(422), 100_u16..=999]
}

fn headers() -> impl Strategy<Value = Vec<(&'static str, Vec<u8>)>> {
    let name = prop::sample::select(vec![
        "etag",
        "link",
        "retry-after",
        "date",
        "location",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ]);
    let value = prop_oneof![
        "[0-9]{0,20}".prop_map(String::into_bytes),
        "</[a-z]{0,3}>; rel=\"next\"".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..30),
    ];
    prop::collection::vec((name, value), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_answers_never_panic(status in status(), headers in headers(), body in body()) {
        ask_everything(&Parrot { status, headers, body });
    }

    #[test]
    fn arbitrary_deliveries_never_panic(event in ".{0,20}", header in ".{0,80}", body in body()) {
        prop_assert!(!webhook::verify(&Secret::new("s"), &header, &body));
        for event in [event.as_str(), "issues", "check_run", "sub_issues", "push"] {
            drop(webhook::hints(event, &body));
        }
    }
}
