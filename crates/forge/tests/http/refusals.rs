//! Answers that say no, in GitHub's numbers, words and shapes.

use http::{Method, Request};
use serde_json::{Value, json};

use crate::site::{REPO, World, request};

#[test]
fn graphql_answers_one_question_and_refuses_others_with_words() {
    let mut world = World::new();
    let ask = json!({"query": "query($n: Int!){repository(owner:\"ada\",name:\"app\"){id}}"});
    let got = world.post("reed", "/graphql", &ask);
    assert!(got.refusal().starts_with("422 GraphQL is not done here"), "{}", got.refusal());
    let ask = json!({"query": "{viewer{login}}"});
    let got = world.post("reed", "/api/graphql", &ask);
    assert_eq!((got.status, &got.json["data"]["viewer"]["login"]), (200, &json!("reed")));
}

#[test]
fn nobody_and_strangers_to_the_forge_are_told_so() {
    let mut world = World::new();
    let bare = Request::get(REPO).body(Vec::new()).unwrap();
    let nobody = world.send(&bare);
    assert_eq!(nobody.refusal(), "401 Requires authentication");
    assert_eq!(nobody.header("x-ratelimit-limit"), "60");
    for header in ["Bearer wrong", "token", "Basic !!", "Digest x"] {
        let wrong = Request::get(REPO).header("authorization", header).body(Vec::new()).unwrap();
        assert_eq!(world.send(&wrong).refusal(), "401 Bad credentials", "{header}");
    }
}

#[test]
fn a_token_is_taken_in_every_form() {
    use base64::Engine;
    let world = World::new();
    let basic =
        |text: &str| format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(text));
    let forms = [
        "Bearer t-will".to_owned(),
        "token t-will".to_owned(),
        basic("x-access-token:t-will"),
        basic("will:t-will"),
        basic("t-will:x-oauth-basic"),
    ];
    for form in forms {
        let caller = world.site.authenticate(0, &form).map(|caller| caller.login);
        assert_eq!(caller.as_deref(), Some("will"), "{form}");
    }
    assert_eq!(world.site.authenticate(0, &basic("will:")), None);
}

#[test]
fn what_one_may_not_see_is_404_and_what_one_may_not_do_is_403() {
    let mut world = World::new();
    let number = world.issue(&json!({"title": "T"}));
    let issue = format!("{REPO}/issues/{number}");
    let close = json!({"state": "closed"});
    assert_eq!(
        world.patch("reed", &issue, &close).refusal(),
        "403 Must have admin rights to Repository."
    );
    world.patch("ada", REPO, &json!({"private": true}));
    assert_eq!(world.get("zoe", &issue).refusal(), "404 Not Found");
    assert_eq!(world.patch("zoe", &issue, &close).refusal(), "404 Not Found");
    assert_eq!(world.get("reed", &issue).status, 200);
}

#[test]
fn what_does_not_exist_is_404_in_githubs_shape() {
    let mut world = World::new();
    for path in
        ["/nowhere", "/repos/ada/none", "/repos/ada/app/issues/99", "/repos/ada/app/issues/x"]
    {
        let got = world.get("ada", path);
        assert_eq!(got.refusal(), "404 Not Found", "{path}");
        let expected = json!({
            "message": "Not Found",
            "documentation_url": "https://docs.github.com/rest",
            "status": "404",
        });
        assert_eq!(got.json, expected);
    }
    assert_eq!(world.post("ada", "/user", &json!({})).status, 404);
}

#[test]
fn bad_json_is_400_and_bad_values_are_422() {
    let mut world = World::new();
    let mut bad = request("will", Method::POST, &format!("{REPO}/issues"), &Value::Null);
    *bad.body_mut() = b"{\"title\": ".to_vec();
    assert_eq!(world.send(&bad).refusal(), "400 Problems parsing JSON");
    let issues = format!("{REPO}/issues");
    let missing = world.post("will", &issues, &json!({"body": "b"}));
    assert_eq!(missing.refusal(), "422 Invalid request.\n\n\"title\" wasn't supplied.");
    let empty = world.post("will", &issues, &json!({"title": " "}));
    let detail = json!({"resource": "Issue", "field": "title", "code": "missing_field"});
    assert_eq!((empty.status, &empty.json["errors"]), (422, &json!([detail])));
    let labels = format!("{REPO}/labels");
    world.post("will", &labels, &json!({"name": "bug"}));
    let twice = world.post("will", &labels, &json!({"name": "BUG"}));
    assert_eq!(twice.json["errors"][0]["code"], "already_exists");
    let since = world.get("will", &format!("{issues}?since=yesterday"));
    assert_eq!(since.status, 422);
    assert_eq!(world.get("will", &format!("{issues}?state=odd")).status, 422);
}

#[test]
fn issues_that_are_switched_off_are_gone_and_pulls_are_not() {
    let mut world = World::new();
    let number = world.pull("f");
    world.patch("ada", REPO, &json!({"has_issues": false}));
    let list = world.get("will", &format!("{REPO}/issues"));
    assert_eq!(list.refusal(), "410 Issues are disabled for this repo");
    assert_eq!(world.post("will", &format!("{REPO}/issues"), &json!({"title": "T"})).status, 410);
    assert_eq!(world.get("will", &format!("{REPO}/issues/{number}")).status, 200);
}

#[test]
fn a_merge_is_405_when_it_cannot_be_and_409_when_the_head_is_another() {
    let mut world = World::new();
    let (one, two) = (world.pull("one"), world.pull("two"));
    world.write("one", "same", "1");
    world.write("two", "same", "2");
    let merge = |number: u64| format!("{REPO}/pulls/{number}/merge");
    let stale = json!({"sha": world.tip("main").to_string()});
    let refused = world.put("will", &merge(one), &stale);
    let words = "409 Head branch was modified. Review and try the merge again.";
    assert_eq!(refused.refusal(), words);
    let current = json!({"sha": world.tip("one").to_string()});
    assert_eq!(world.put("will", &merge(one), &current).json["merged"], true);
    let refused = world.put("will", &merge(two), &json!({}));
    assert_eq!(refused.refusal(), "405 Pull Request is not mergeable");
    assert_eq!(world.put("reed", &merge(two), &json!({})).status, 403);
    assert_eq!(world.put("will", &merge(99), &json!({})).status, 404);
}

#[test]
fn a_second_pull_for_the_same_branches_is_refused_with_its_words() {
    let mut world = World::new();
    world.pull("f");
    let body = json!({"title": "Again", "head": "f", "base": "main"});
    let got = world.post("will", &format!("{REPO}/pulls"), &body);
    let words = "A pull request already exists for ada:f.";
    let detail = json!({"resource": "PullRequest", "code": "custom", "message": words});
    assert_eq!((got.status, &got.json["errors"][0]), (422, &detail));
}

#[test]
fn protection_reads_404_in_two_ways() {
    let mut world = World::new();
    let path = format!("{REPO}/branches/main/protection");
    assert_eq!(world.get("ada", &path).refusal(), "404 Branch not protected");
    assert_eq!(world.get("will", &path).refusal(), "404 Not Found");
    let incomplete = json!({"required_status_checks": null, "enforce_admins": true});
    assert_eq!(world.put("ada", &path, &incomplete).status, 422);
}
