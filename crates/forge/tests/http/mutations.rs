//! One falsified answer for each behaviour that the sweep checks, as a client would see it from a
//! forge without that behaviour.

use http::Request;
use http::header::{ACCEPT, AUTHORIZATION};
use serde_json::{Value, json};

use crate::site::Got;

pub(crate) type Change = fn(&mut Exchange<'_>);

/// A request and its answer.
pub(crate) struct Exchange<'a> {
    pub(crate) asked: &'a Request<Vec<u8>>,
    pub(crate) got: &'a mut Got,
}

impl Exchange<'_> {
    /// Returns whether the request has this method and its path ends so, without the query.
    fn is(&self, asked: &str) -> bool {
        let (method, end) = asked.split_once(' ').expect("a method and a path");
        self.asked.method().as_str() == method && self.asked.uri().path().ends_with(end)
    }

    fn body_has(&self, text: &str) -> bool {
        String::from_utf8_lossy(self.asked.body()).contains(text)
    }

    fn status(&mut self, asked: &str, from: u16, to: u16) {
        if self.is(asked) && self.got.status == from {
            self.got.status = to;
        }
    }

    fn json(&mut self, asked: &str, json: Value) {
        if self.is(asked) {
            self.got.json = json;
        }
    }

    /// Sets a field of every answer that has it.
    fn field(&mut self, pointer: &str, value: Value) {
        if let Some(field) = self.got.json.pointer_mut(pointer) {
            *field = value;
        }
    }

    fn merge_state(&mut self, from: &str, to: &str) {
        if self.got.json["mergeable_state"] == from {
            self.field("/mergeable_state", json!(to));
        }
    }

    fn header(&mut self, name: &'static str, value: &'static str) {
        self.got.response.headers_mut().insert(name, value.parse().expect("a value"));
    }

    fn token(&self) -> &str {
        self.asked.headers().get(AUTHORIZATION).map_or("", |value| value.to_str().expect("text"))
    }
}

pub(crate) const MUTATIONS: &[(&str, Change)] = &[
    ("label names have a case", |all| all.status("GET /labels/bug", 200, 404)),
    ("duplicate labels are accepted", |all| all.status("POST /app/labels", 422, 201)),
    ("absent labels can be removed", |all| all.status("DELETE /labels/Bug", 404, 200)),
    ("unknown labels are dropped", |all| all.json("POST /issues/1/labels", json!([]))),
    ("changes leave the issue untouched", |all| {
        let created_at = all.got.json["created_at"].clone();
        all.field("/updated_at", created_at);
    }),
    ("`since` filters nothing", |all| {
        if all.asked.uri().query().is_some_and(|query| query.contains("since")) {
            all.got.json = json!([{}, {}]);
        }
    }),
    ("comments descend", |all| {
        if all.is("GET /comments")
            && let Some(comments) = all.got.json.as_array_mut()
        {
            comments.reverse();
        }
    }),
    ("reopened issues look new", |all| all.field("/state_reason", Value::Null)),
    ("disabled issues are still there", |all| all.status("GET /issues/2", 410, 200)),
    ("pulls close no issues", |all| all.json("GET /issues/1/events", json!([]))),
    ("commits close no issues", |all| all.json("GET /issues/2/events", json!([]))),
    ("every branch closes issues", |all| {
        all.json("GET /issues/3/events", json!([{"event": "closed", "commit_id": null}]));
    }),
    ("pulls leave a commit id", |all| {
        all.json("GET /issues/1/events", json!([{"event": "closed", "commit_id": "abc"}]));
    }),
    ("bodies leave no cross-reference", |all| all.json("GET /timeline", json!([]))),
    ("sub-issues have two parents", |all| all.status("POST /issues/3/sub_issues", 422, 201)),
    ("sub-issues form a cycle", |all| all.status("POST /issues/2/sub_issues", 422, 201)),
    ("summaries count closed blockers", |all| {
        all.field("/issue_dependencies_summary/blocked_by", json!(1));
    }),
    ("private repositories exist", |all| all.status("GET /issues/1", 404, 403)),
    ("rights are not needed", |all| all.status("PATCH /issues/1", 403, 200)),
    ("permissions are not folded", |all| all.field("/permission", json!("triage"))),
    ("protection is shown", |all| {
        if all.is("GET /protection") {
            all.field("/message", json!("Branch not protected"));
        }
    }),
    ("two open pulls per pair", |all| {
        if all.body_has("\"f\"") {
            all.status("POST /pulls", 422, 201);
        }
    }),
    ("pulls without commits", |all| {
        if all.body_has("\"same\"") {
            all.status("POST /pulls", 422, 201);
        }
    }),
    ("heads stay where they were", |all| all.field("/head/sha", json!("0"))),
    ("pulls outlive their head", |all| {
        if all.is("GET /pulls/2") {
            all.field("/state", json!("open"));
        }
    }),
    ("contained pulls stay open", |all| all.field("/merged", json!(false))),
    ("mergeability is known at first", |all| all.field("/mergeable", json!(true))),
    ("drafts can be merged", |all| all.status("PUT /pulls/2/merge", 405, 200)),
    ("lax protection is behind", |all| all.merge_state("clean", "behind")),
    ("failed checks are clean", |all| all.merge_state("unstable", "clean")),
    ("required checks hold no merge", |all| all.status("PUT /pulls/1/merge", 405, 200)),
    ("statuses and approvals do not count", |all| all.merge_state("clean", "blocked")),
    ("the first run counts", |all| all.merge_state("clean", "unstable")),
    ("administrators are held", |all| all.status("PUT /pulls/1/merge", 200, 405)),
    ("rulesets gate nothing", |all| all.merge_state("blocked", "clean")),
    ("merges take any head", |all| all.status("PUT /merge", 409, 200)),
    ("branch updates come at once", |all| all.field("/commits", json!(2))),
    ("pushes need no fast-forward", |all| {
        if !all.body_has("force") {
            all.status("PATCH /git/refs/heads/main", 422, 200);
        }
    }),
    ("force is accepted where protected", |all| {
        if all.body_has("force") {
            all.status("PATCH /git/refs/heads/main", 422, 200);
        }
    }),
    ("the default branch is fixed", |all| {
        if all.is("GET /repos/ada/empty") {
            all.field("/default_branch", json!("main"));
        }
    }),
    ("entity tags are the same for each token", |all| {
        if !all.asked.headers().contains_key(ACCEPT) {
            all.header("etag", "\"same\"");
        }
    }),
    ("entity tags are the same for each form", |all| all.header("etag", "\"same\"")),
    ("known answers cost a request", |all| {
        if all.got.status == 304 {
            all.header("x-ratelimit-remaining", "0");
        }
    }),
    ("limits let everything pass", |all| all.status("GET /issues", 403, 200)),
    ("pages are not linked", |all| all.header("link", "")),
    ("hooks are for everyone", |all| all.status("GET /hooks", 404, 200)),
    ("signatures are not verified", |all| {
        if all.token().ends_with(".AAAA") {
            all.status("GET /app", 401, 200);
        }
    }),
    ("token claims do not end", |all| {
        if !all.token().ends_with(".AAAA") {
            all.status("GET /app", 401, 200);
        }
    }),
    ("installation tokens do not end", |all| all.status("GET /repos/ada/app", 401, 200)),
    ("installation tokens are good elsewhere", |all| {
        all.status("GET /repos/max/secret", 404, 200);
    }),
    ("installations have a role", |all| all.field("/permissions/push", json!(true))),
];
