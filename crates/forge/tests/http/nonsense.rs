//! A value that a parameter or a field cannot have is refused, wherever it stands: the sender would
//! otherwise believe that it was heeded.

use http::{Method, Request};
use serde_json::{Value, json};

use crate::contract;
use crate::site::{REPO, World, request};
use crate::surface;

/// No parameter takes it.
const WORD: &str = "no-such-value";

/// Parameters and fields that GitHub itself does not heed with some value. Route, name; then the reason.
const AS_ON_GITHUB: [(&str, &str, &str); 4] = [
    (
        "/repos/{owner}/{repo}/pulls",
        "head",
        "a head that does not say whose it is, is none: documented, and modelled in lists.rs",
    ),
    (
        "/repos/{owner}/{repo}/issues/{issue_number}",
        "state_reason",
        "documented as ignored unless the state changes: another reason for a closed issue",
    ),
    (
        "/repos/{owner}/{repo}/issues",
        "labels",
        "documented as silently dropped without the right to label",
    ),
    (
        "/repos/{owner}/{repo}/issues/{issue_number}",
        "labels",
        "documented as silently dropped without the right to label",
    ),
];

/// No field takes it.
fn nonsense() -> Value {
    json!({"nonsense": [7.5]})
}

fn again(asked: &Request<Vec<u8>>, path: &str, body: Vec<u8>) -> Request<Vec<u8>> {
    let mut other = Request::builder().method(asked.method()).uri(path).body(body).unwrap();
    *other.headers_mut() = asked.headers().clone();
    other
}

/// Asks on a copy of the world; status and body.
fn answer(before: &World, asked: &Request<Vec<u8>>) -> (u16, Vec<u8>) {
    let mut site = before.site.clone();
    let response = site.respond(before.now_ms + 1_000, asked).response;
    (response.status().as_u16(), response.into_body())
}

fn is_empty_list(body: &[u8]) -> bool {
    let list: Value = serde_json::from_slice(body).unwrap_or_default();
    list.as_array().is_some_and(Vec::is_empty) || list["total_count"] == 0
}

/// Each parameter of a read with a value that means nothing.
fn probe_parameters(before: &World, asked: &Request<Vec<u8>>, template: &str) -> usize {
    let described = contract::rest().asked_for("GET", template).parameters;
    let (_status, usual) = answer(before, asked);
    let path = asked.uri().path_and_query().unwrap().as_str();
    let is_free = |name: &str| {
        path.contains(&format!("{name}="))
            || AS_ON_GITHUB.iter().any(|(route, free, _why)| (*route, *free) == (template, name))
    };
    let mut probes = 0;
    for name in described.iter().filter(|name| !is_free(name)) {
        let mark = if path.contains('?') { '&' } else { '?' };
        let other = again(asked, &format!("{path}{mark}{name}={WORD}"), Vec::new());
        let (status, body) = answer(before, &other);
        let is_heeded = status >= 400 || body != usual || is_empty_list(&usual);
        assert!(is_heeded, "GET {template}: {name} is ignored");
        probes += 1;
    }
    probes
}

/// Every object in a value with one more field.
fn with_one_more(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("nonsense".to_owned(), json!("x"));
            all.push(Value::Object(more));
            for (name, inner) in fields {
                for changed in with_one_more(inner) {
                    let mut other = fields.clone();
                    other.insert(name.clone(), changed);
                    all.push(Value::Object(other));
                }
            }
        }
        Value::Array(values) => {
            for (at, inner) in values.iter().enumerate() {
                for changed in with_one_more(inner) {
                    let mut other = values.clone();
                    other[at] = changed;
                    all.push(Value::Array(other));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

/// Every field that is described, and those inside of what is sent, with a value that no field takes.
fn probe_fields(before: &World, asked: &Request<Vec<u8>>, template: &str) -> usize {
    let Ok(sent) = serde_json::from_slice::<Value>(asked.body()) else { return 0 };
    let method = asked.method().as_str();
    let described = contract::rest().asked_for(method, template).fields;
    let mut bodies = with_one_more(&sent);
    if let Value::Object(fields) = &sent {
        for name in described.iter().chain(fields.keys()) {
            let mut other = fields.clone();
            other.insert(name.clone(), nonsense());
            bodies.push(Value::Object(other));
        }
    }
    for body in &bodies {
        let other = again(asked, &asked.uri().to_string(), body.to_string().into_bytes());
        let (status, said) = answer(before, &other);
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!((400..500).contains(&status), "{method} {template}: {body} is {status} {said}");
    }
    bodies.len()
}

#[test]
fn no_value_that_means_nothing_is_ignored() {
    let (mut parameters, mut fields) = (0, 0);
    surface::walk(|before, asked, template| {
        if *asked.method() == Method::GET {
            parameters += probe_parameters(before, asked, template);
        } else {
            fields += probe_fields(before, asked, template);
        }
    });
    println!("values that mean nothing: {parameters} of parameters, {fields} of fields");
    assert!(parameters > 150 && fields > 200, "{parameters} and {fields}");
}

/// Sends a field that is not heeded; the answer is the same as without it.
fn is_ignored(world: &World, who: &str, asked: (Method, &str), (with, without): (Value, Value)) {
    let (method, path) = asked;
    let ask = |body: &Value| answer(world, &request(who, method.clone(), path, body));
    let (status, body) = ask(&with);
    assert!([200, 201].contains(&status), "{method} {path} {with}: {status}");
    assert_eq!((status, body), ask(&without), "{method} {path} {with}");
    let field = with.as_object().unwrap().keys().find(|key| without.get(key).is_none()).unwrap();
    let template = path.replace("ada/app", "{owner}/{repo}").replace("/1", "/{issue_number}");
    let listed =
        AS_ON_GITHUB.iter().any(|(route, name, _why)| (*route, *name) == (&*template, &**field));
    assert!(listed, "{template} {field}");
}

#[test]
fn what_is_ignored_is_ignored_by_github_and_listed() {
    let mut world = World::new();
    let issues = format!("{REPO}/issues");
    let issue = format!("{issues}/1");
    world.post("reed", &issues, &json!({"title": "T"}));
    let labels = json!({"title": "T", "labels": ["new"]});
    let bare = json!({"title": "T"});
    is_ignored(&world, "reed", (Method::POST, &issues), (labels.clone(), bare.clone()));
    is_ignored(&world, "reed", (Method::PATCH, &issue), (labels, bare));
    world.patch("ada", &issue, &json!({"state": "closed"}));
    let other = json!({"state": "closed", "state_reason": "not_planned"});
    is_ignored(&world, "ada", (Method::PATCH, &issue), (other, json!({"state": "closed"})));
}

#[test]
fn a_reason_without_its_state_is_refused() {
    let mut world = World::new();
    let issue = format!("{REPO}/issues/1");
    world.post("ada", &format!("{REPO}/issues"), &json!({"title": "T"}));
    let alone = "422 The field `state_reason` needs the field `state`, whose change it explains.";
    for reason in ["completed", "not_planned", "duplicate", "reopened"] {
        assert_eq!(world.patch("ada", &issue, &json!({"state_reason": reason})).refusal(), alone);
    }
    let not_with = |reason: &str, state: &str, takes: &str| {
        format!(
            "422 The field `state_reason` is `{reason}`; with the state `{state}` it takes {takes}."
        )
    };
    let closing = not_with("reopened", "closed", "`completed`, `not_planned` or `duplicate`");
    let got = world.patch("ada", &issue, &json!({"state": "closed", "state_reason": "reopened"}));
    assert_eq!(got.refusal(), closing);
    let got = world.patch("ada", &issue, &json!({"state": "open", "state_reason": "completed"}));
    assert_eq!(got.refusal(), not_with("completed", "open", "`reopened`"));
    assert_eq!(world.get("ada", &issue).json["state"], "open");
    for (state, reason) in [("closed", "duplicate"), ("open", "reopened")] {
        let change = json!({"state": state, "state_reason": reason});
        assert_eq!(world.patch("ada", &issue, &change).json["state_reason"], reason);
    }
    assert_eq!(world.patch("ada", &issue, &json!({"state_reason": null})).status, 200);
}

#[test]
fn a_sub_issue_is_removed_without_replacing_its_parent() {
    let mut world = World::new();
    let issues = format!("{REPO}/issues");
    let [_parent, child] =
        ["P", "C"].map(|title| world.post("ada", &issues, &json!({"title": title})).json);
    let id = &child["id"];
    let add = json!({"sub_issue_id": id, "replace_parent": true});
    assert_eq!(world.post("ada", &format!("{issues}/1/sub_issues"), &add).status, 201);
    let path = format!("{issues}/1/sub_issue");
    for replace in [true, false] {
        let body = json!({"sub_issue_id": id, "replace_parent": replace});
        let got = world.ask("ada", Method::DELETE, &path, &body);
        assert_eq!(got.status, 422);
        assert!(got.refusal().contains("`replace_parent`"), "{}", got.refusal());
    }
    let got = world.ask("ada", Method::DELETE, &path, &json!({"sub_issue_id": id}));
    assert_eq!(got.status, 200);
}

#[test]
fn a_text_with_nul_is_refused_wherever_it_stands() {
    let mut world = World::new();
    let issues = format!("{REPO}/issues");
    for body in [json!({"title": "a\0b"}), json!({"title": "a", "labels": [{"name": "\0"}]})] {
        let got = world.post("ada", &issues, &body);
        assert_eq!(got.refusal(), "422 The body has a NUL character, which no text may have.");
    }
    let backslash = json!({"title": "a\\u0000b"});
    assert_eq!(world.post("ada", &issues, &backslash).json["title"], "a\\u0000b");
}

#[test]
fn a_conclusion_completes_a_run_and_states_that_are_not_kept_are_refused() {
    let mut world = World::new();
    let head = world.tip("main").to_string();
    let runs = format!("{REPO}/check-runs");
    let mut made = |body: Value| {
        let mut whole = json!({"name": "CI", "head_sha": head});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        world.post("will", &runs, &whole)
    };
    for status in ["queued", "in_progress", "completed"] {
        let got = made(json!({"status": status, "conclusion": "success"}));
        let shown = (&got.json["status"], &got.json["conclusion"]);
        assert_eq!(shown, (&json!("completed"), &json!("success")), "{status}");
    }
    for status in ["requested", "waiting", "pending"] {
        let got = made(json!({"status": status}));
        let words = format!("422 Only GitHub Actions can set the status `{status}`.");
        assert_eq!(got.refusal(), words);
    }
    let late = "2026-01-01T00:00:00Z";
    assert_eq!(made(json!({"completed_at": late})).status, 422);
    let got = made(json!({"completed_at": late, "conclusion": "failure"}));
    assert_eq!(got.json["completed_at"], late);
}

#[test]
fn null_empties_a_text() {
    let mut world = World::new();
    let label = format!("{REPO}/labels/bug");
    let new = json!({"name": "bug", "color": "ff0000", "description": "x"});
    assert_eq!(world.post("ada", &format!("{REPO}/labels"), &new).status, 201);
    world.patch("ada", REPO, &json!({"description": "x", "homepage": "http://x.test/"}));
    for (path, fields) in [(REPO, ["description", "homepage"]), (&label, ["description"; 2])] {
        let kept = world.patch("ada", path, &json!({})).json;
        assert_eq!(kept[fields[0]], "x", "{path}");
        for field in fields {
            assert_eq!(world.patch("ada", path, &json!({field: null})).json[field], Value::Null);
        }
    }
    let both = json!({"new_name": "one", "name": "other"});
    assert_eq!(world.patch("ada", &label, &both).status, 422);
}

#[test]
fn a_rebase_takes_no_message() {
    let mut world = World::new();
    let number = world.pull("feature");
    let merge = format!("{REPO}/pulls/{number}/merge");
    for field in ["commit_title", "commit_message"] {
        let got = world.put("ada", &merge, &json!({"merge_method": "rebase", field: "x"}));
        assert_eq!(got.status, 422, "{field}");
    }
    assert_eq!(world.put("ada", &merge, &json!({"merge_method": "rebase"})).status, 200);
}

#[test]
fn pulls_of_a_commit_come_in_pages() {
    let mut world = World::new();
    let first = world.pull("feature");
    let head = world.tip("feature").to_string();
    for branch in ["one", "two"] {
        let new = json!({"ref": format!("refs/heads/{branch}"), "sha": head});
        assert_eq!(world.post("will", &format!("{REPO}/git/refs"), &new).status, 201);
        let new = json!({"title": branch, "head": branch, "base": "main"});
        assert_eq!(world.post("will", &format!("{REPO}/pulls"), &new).status, 201);
    }
    let list = format!("{REPO}/commits/{head}/pulls");
    let page = world.get("reed", &format!("{list}?per_page=2&page=2"));
    assert_eq!((page.status, page.json.as_array().map(Vec::len)), (200, Some(1)));
    let all = world.get("reed", &list).json;
    assert!(all.as_array().unwrap().iter().any(|pull| pull["number"] == first));
}
