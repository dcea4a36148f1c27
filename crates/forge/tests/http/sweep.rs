//! The mutation sweep: with the answer to any one behaviour falsified, some check of this script
//! goes red.

use http::Method;
use ralph_forge::{
    Content, Enforcement, Expected, NewCommit, Permission, PushBranch, RequiredChecks, Rule,
    Ruleset, SiteSettings, on,
};
use serde_json::{Value, json};

use crate::mutations::{Change, MUTATIONS};
use crate::site::{Got, REPO, World, request};
use crate::token_claims;

/// The sentences that turned out false.
#[derive(Default)]
struct Checks {
    failed: Vec<&'static str>,
}

impl Checks {
    fn that(&mut self, sentence: &'static str, holds: bool) {
        if !holds {
            self.failed.push(sentence);
        }
    }
}

#[test]
fn all_checks_are_green_on_the_answers_as_they_are() {
    assert_eq!(failures(None), Vec::<&str>::new());
}

#[test]
fn each_falsified_answer_turns_a_check_red() {
    let unnoticed = MUTATIONS.iter().filter(|(_name, change)| failures(Some(*change)).is_empty());
    let unnoticed: Vec<&str> = unnoticed.map(|(name, _change)| *name).collect();
    assert_eq!(unnoticed, Vec::<&str>::new(), "not noticed");
}

/// Plays every part in its own world.
fn failures(mutation: Option<Change>) -> Vec<&'static str> {
    let parts = [
        labels,
        issues,
        closing,
        relations,
        rights,
        pulls,
        mergeability,
        protection,
        pushes,
        headers,
        apps,
    ];
    let mut checks = Checks::default();
    for part in parts {
        let settings = SiteSettings { requests_per_hour_max: 60, ..SiteSettings::default() };
        let mut world = World::with(&settings);
        world.mutation = mutation;
        part(&mut world, &mut checks);
    }
    checks.failed
}

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

fn labels(world: &mut World, checks: &mut Checks) {
    let path = format!("{REPO}/labels");
    world.post("will", &path, &json!({"name": "Bug"}));
    let again = world.post("will", &path, &json!({"name": "Bug"}));
    checks.that("a label exists once", again.status == 422);
    checks.that(
        "labels are found in any case",
        world.get("will", &format!("{path}/bug")).status == 200,
    );
    let number = world.issue(&json!({"title": "T"}));
    let on_issue = format!("{REPO}/issues/{number}/labels");
    let got = world.post("will", &on_issue, &json!({"labels": ["new"]}));
    checks.that("an unknown label comes into being", got.json[0]["name"] == "new");
    let absent = world.delete("will", &format!("{on_issue}/Bug"));
    checks.that("what is not there cannot be removed", absent.status == 404);
}

fn issues(world: &mut World, checks: &mut Checks) {
    let number = world.issue(&json!({"title": "T"}));
    let other = world.issue(&json!({"title": "T"}));
    let path = format!("{REPO}/issues/{number}");
    for text in ["first", "second"] {
        world.post("will", &format!("{path}/comments"), &json!({"body": text}));
    }
    let after = world.get("will", &path).json;
    checks.that("a comment touches its issue", after["updated_at"] != after["created_at"]);
    let comments = world.get("will", &format!("{path}/comments")).json;
    checks.that("comments ascend", comments[0]["body"] == "first");
    let since = after["updated_at"].as_str().unwrap_or_default();
    let changed = world.get("will", &format!("{REPO}/issues?since={since}")).json;
    checks.that("since leaves out what did not change", count(&changed) < 2);
    world.patch("will", &path, &json!({"state": "closed"}));
    let reopened = world.patch("will", &path, &json!({"state": "open"})).json;
    checks.that("a reopened issue says so", reopened["state_reason"] == "reopened");
    world.patch("ada", REPO, &json!({"has_issues": false}));
    let gone = world.get("will", &format!("{REPO}/issues/{other}")).status;
    checks.that("disabled issues are gone", gone == 410);
}

/// Returns the commit that the closed event of an issue names.
fn closing_commit(world: &mut World, number: u64) -> Value {
    let events = world.get("will", &format!("{REPO}/issues/{number}/events")).json;
    let mut all = events.as_array().cloned().unwrap_or_default().into_iter();
    all.find(|event| event["event"] == "closed")
        .map_or(json!("open"), |event| event["commit_id"].clone())
}

fn closing(world: &mut World, checks: &mut Checks) {
    let [by_pull, by_commit, elsewhere] =
        ["a", "b", "c"].map(|title| world.issue(&json!({"title": title})));
    let pull = world.pull("f");
    let path = format!("{REPO}/pulls/{pull}");
    world.patch("will", &path, &json!({"body": format!("Fixes #{by_pull}")}));
    let timeline = world.get("will", &format!("{REPO}/issues/{by_pull}/timeline")).json;
    checks.that("a body cross-references", timeline[0]["event"] == "cross-referenced");
    world.put("will", &format!("{path}/merge"), &json!({}));
    let commit = closing_commit(world, by_pull);
    checks.that("a merged pull closes what it names", commit != "open");
    checks.that("a pull leaves no commit id", commit.is_null() || commit == "open");
    push(world, "main", &format!("Closes #{by_commit}"));
    checks.that(
        "a commit closes what it names",
        closing_commit(world, by_commit).is_string() && closing_commit(world, by_commit) != "open",
    );
    let main = world.tip("main").to_string();
    for name in ["base", "head"] {
        let body = json!({"ref": format!("refs/heads/{name}"), "sha": main});
        world.post("will", &format!("{REPO}/git/refs"), &body);
    }
    world.write("head", "x", "x");
    let body = format!("Closes #{elsewhere}");
    let body = json!({"title": "T", "head": "head", "base": "base", "body": body});
    let number = world.post("will", &format!("{REPO}/pulls"), &body).json["number"].clone();
    world.put("will", &format!("{REPO}/pulls/{number}/merge"), &json!({}));
    let open = closing_commit(world, elsewhere) == "open";
    checks.that("only arriving at the default branch closes", open);
}

/// A commit with this message on top of a branch.
fn push(world: &mut World, branch: &str, message: &str) {
    let tip = world.tip(branch);
    let commit = NewCommit {
        parents: vec![tip],
        content: Content::written([(message, "x")]),
        message: message.to_owned(),
        author: "will".to_owned(),
        at: world.now_ms / 1000,
    };
    let now = world.now_ms / 1000;
    let forge = world.site.forge_mut();
    let sha = forge.commit("ada/app", commit).unwrap();
    let (branch, expected_old) = (branch.to_owned(), Expected::At(tip));
    let call = PushBranch { branch, sha, expected_old, force: false };
    forge.handle("will", now, on("ada/app", call)).0.unwrap();
}

fn relations(world: &mut World, checks: &mut Checks) {
    let ids: Vec<(u64, Value)> = (0..3)
        .map(|_issue| {
            let number = world.issue(&json!({"title": "T"}));
            (number, world.get("will", &format!("{REPO}/issues/{number}")).json["id"].clone())
        })
        .collect();
    let add = |world: &mut World, parent: usize, child: usize| {
        let path = format!("{REPO}/issues/{}/sub_issues", ids[parent].0);
        world.post("will", &path, &json!({"sub_issue_id": ids[child].1})).status
    };
    add(world, 0, 1);
    checks.that("an issue has one parent", add(world, 2, 1) == 422);
    checks.that("no issue is its own ancestor", add(world, 1, 0) == 422);
    let path = format!("{REPO}/issues/{}", ids[0].0);
    let blocked_by = format!("{path}/dependencies/blocked_by");
    world.post("will", &blocked_by, &json!({"issue_id": ids[2].1}));
    world.patch("will", &format!("{REPO}/issues/{}", ids[2].0), &json!({"state": "closed"}));
    let summary = world.get("will", &path).json["issue_dependencies_summary"].clone();
    checks.that("a closed blocker blocks no longer", summary["blocked_by"] == 0);
}

fn rights(world: &mut World, checks: &mut Checks) {
    let number = world.issue(&json!({"title": "T"}));
    let path = format!("{REPO}/issues/{number}");
    let close = world.patch("reed", &path, &json!({"state": "closed"}));
    checks.that("closing needs rights", close.status == 403);
    let role = world.get("will", &format!("{REPO}/collaborators/tess/permission")).json;
    checks.that("triage reads as read", role["permission"] == "read");
    let protection = world.get("will", &format!("{REPO}/branches/main/protection"));
    checks.that("protection is hidden", protection.refusal() == "404 Not Found");
    checks.that("hooks are hidden", world.get("will", &format!("{REPO}/hooks")).status == 404);
    world.patch("ada", REPO, &json!({"private": true}));
    checks.that("what is private does not exist", world.get("zoe", &path).status == 404);
}

fn pulls(world: &mut World, checks: &mut Checks) {
    let number = world.pull("f");
    let path = format!("{REPO}/pulls/{number}");
    let again = json!({"title": "T", "head": "f", "base": "main"});
    let again = world.post("will", &format!("{REPO}/pulls"), &again);
    checks.that("one open pull per head and base", again.status == 422);
    let main = world.tip("main").to_string();
    let body = json!({"ref": "refs/heads/same", "sha": main});
    world.post("will", &format!("{REPO}/git/refs"), &body);
    let empty = json!({"title": "T", "head": "same", "base": "main"});
    let empty = world.post("will", &format!("{REPO}/pulls"), &empty);
    checks.that("a pull needs commits", empty.status == 422);
    let head = world.write("f", "more", "more").to_string();
    checks.that("a head follows its branch", world.get("will", &path).json["head"]["sha"] == head);
    let stale = world.put("will", &format!("{path}/merge"), &json!({"sha": main}));
    checks.that("a merge expects its head", stale.status == 409);
    let gone = world.pull("gone");
    world.delete("will", &format!("{REPO}/git/refs/heads/gone"));
    let closed = world.get("will", &format!("{REPO}/pulls/{gone}")).json;
    checks.that("deleting the head closes", closed["state"] == "closed");
    let contained = world.pull("contained");
    let sha = world.tip("contained").to_string();
    let moved = world.patch("will", &format!("{REPO}/git/refs/heads/main"), &json!({"sha": sha}));
    let merged = world.get("will", &format!("{REPO}/pulls/{contained}")).json;
    checks
        .that("what its base contains is merged", moved.status == 200 && merged["merged"] == true);
}

fn state(world: &mut World, path: &str) -> Value {
    world.get("will", path);
    world.get("will", path).json["mergeable_state"].clone()
}

fn mergeability(world: &mut World, checks: &mut Checks) {
    let path = format!("{REPO}/pulls/{}", world.pull("f"));
    let first = world.get("will", &path).json["mergeable"].clone();
    checks.that("mergeability is unknown at first", first.is_null());
    world.write("main", "moved", "on");
    checks.that("behind is for strict protection", state(world, &path) == "clean");
    let update = world.put("will", &format!("{path}/update-branch"), &json!({}));
    let head = world.get("will", &path).json["head"]["sha"].clone();
    let waits =
        head == json!(world.tip("f").to_string()) && world.get("will", &path).json["commits"] == 1;
    checks.that("an update comes later", update.status == 202 && waits);
    let sha = world.tip("f").to_string();
    let failure = json!({"name": "extra", "head_sha": sha, "conclusion": "failure"});
    world.post("will", &format!("{REPO}/check-runs"), &failure);
    checks.that("a failed check is unstable", state(world, &path) == "unstable");
    let success = json!({"name": "extra", "head_sha": sha, "conclusion": "success"});
    world.post("will", &format!("{REPO}/check-runs"), &success);
    checks.that("the latest run of a name counts", state(world, &path) == "clean");
    let main = world.tip("main").to_string();
    let body = json!({"ref": "refs/heads/d", "sha": main});
    world.post("will", &format!("{REPO}/git/refs"), &body);
    world.write("d", "d", "d");
    let draft = json!({"title": "T", "head": "d", "base": "main", "draft": true});
    let draft = world.post("will", &format!("{REPO}/pulls"), &draft).json["number"].clone();
    let merge = world.put("will", &format!("{REPO}/pulls/{draft}/merge"), &json!({}));
    checks.that("a draft cannot be merged", merge.status == 405);
}

fn protect(world: &mut World, checks: &[&str], approvals: Option<u32>, admins: bool) {
    let reviews = approvals.map(|count| json!({"required_approving_review_count": count}));
    let body = json!({
        "required_status_checks": {"strict": false, "contexts": checks},
        "enforce_admins": admins,
        "required_pull_request_reviews": reviews,
        "restrictions": null,
    });
    world.put("ada", &format!("{REPO}/branches/main/protection"), &body);
}

fn protection(world: &mut World, checks: &mut Checks) {
    let number = world.pull("f");
    let path = format!("{REPO}/pulls/{number}");
    let merge = format!("{path}/merge");
    protect(world, &["CI"], Some(1), true);
    let refused = world.put("will", &merge, &json!({}));
    checks.that("a required check holds a merge", refused.status == 405);
    if refused.status != 405 {
        return;
    }
    world.post("max", &format!("{path}/reviews"), &json!({"event": "APPROVE"}));
    let sha = world.tip("f").to_string();
    let status = json!({"state": "success", "context": "CI"});
    world.post("will", &format!("{REPO}/statuses/{sha}"), &status);
    checks.that("approvals and statuses count", state(world, &path) == "clean");
    let ruleset = Ruleset {
        name: "r".to_owned(),
        enforcement: Enforcement::Active,
        branches: vec!["main".to_owned()],
        rules: vec![Rule::RequiredChecks(RequiredChecks {
            strict: false,
            contexts: ["Rule".to_owned()].into(),
        })],
        bypass: ["ada".to_owned()].into(),
    };
    world.site.forge_mut().add_ruleset("ada/app", ruleset).unwrap();
    checks.that("rulesets gate", state(world, &path) == "blocked");
    protect(world, &["Never"], None, false);
    let passed = world.put("ada", &merge, &json!({}));
    checks.that("administrators pass unless held", passed.status == 200);
}

fn pushes(world: &mut World, checks: &mut Checks) {
    let old = world.tip("main").to_string();
    world.write("main", "a", "a");
    let path = format!("{REPO}/git/refs/heads/main");
    let back = world.patch("ada", &path, &json!({"sha": old}));
    checks.that("pushes are fast-forward", back.status == 422);
    protect(world, &[], None, false);
    let forced = world.patch("ada", &path, &json!({"sha": old, "force": true}));
    checks.that("force is refused where protected", forced.status == 422);
    world.post("ada", "/user/repos", &json!({"name": "empty"}));
    let commit = NewCommit {
        parents: Vec::new(),
        content: Content::written([("a", "a")]),
        message: "First".to_owned(),
        author: "ada".to_owned(),
        at: 1,
    };
    let forge = world.site.forge_mut();
    let sha = forge.commit("ada/empty", commit).unwrap();
    let (branch, expected_old) = ("trunk".to_owned(), Expected::Absent);
    let call = PushBranch { branch, sha, expected_old, force: false };
    forge.handle("ada", 1, on("ada/empty", call)).0.unwrap();
    let default = world.get("ada", "/repos/ada/empty").json["default_branch"].clone();
    checks.that("the first branch becomes the default", default == "trunk");
}

fn apps(world: &mut World, checks: &mut Checks) {
    let app = token_claims::register(world, &["ada"]);
    world.post("max", "/user/repos", &json!({"name": "secret", "private": true}));
    world.site.forge_mut().grant("max/secret", "ralph[bot]", Permission::Write).unwrap();
    let seconds = world.now_ms / 1000;
    let forged = token_claims::of(app.id, seconds);
    let forged = format!("{}.AAAA", forged.rsplit_once('.').map_or("", |(text, _)| text));
    let forged = world.send(&token_claims::request(Method::GET, "/app", &forged));
    checks.that("claims are verified", forged.status == 401);
    let old = token_claims::of(app.id, seconds - 601);
    let old = world.send(&token_claims::request(Method::GET, "/app", &old));
    checks.that("claims end", old.status == 401);
    let token = token_claims::token(world, app.id, "ada");
    let ask = |world: &mut World, path: &str| {
        world.send(&token_claims::request(Method::GET, path, &token))
    };
    let shown = ask(world, REPO);
    checks.that("an app has no role", shown.json["permissions"]["push"] == false);
    checks.that("tokens stay at home", ask(world, "/repos/max/secret").status == 404);
    world.now_ms += 3_600_000;
    checks.that("tokens end", ask(world, REPO).status == 401);
}

fn with_header(world: &mut World, path: &str, (key, value): (&'static str, &str)) -> Got {
    let mut asked = request("reed", Method::GET, path, &Value::Null);
    asked.headers_mut().insert(key, value.parse().expect("a value"));
    world.send(&asked)
}

fn headers(world: &mut World, checks: &mut Checks) {
    world.site.forge_mut().grant("ada/app", "zoe", Permission::Read).unwrap();
    for _issue in 0..2 {
        world.issue(&json!({"title": "T"}));
    }
    let path = format!("{REPO}/issues?per_page=1");
    let first = world.get("reed", &path);
    let etag = first.header("etag").to_owned();
    checks.that("pages are linked", first.header("link").contains("rel=\"next\""));
    checks.that("tokens have their own names", world.get("zoe", &path).header("etag") != etag);
    let other = with_header(world, &path, ("accept", "application/vnd.github+json"));
    checks.that("so has each accepted form", other.header("etag") != etag);
    let before = other.header("x-ratelimit-remaining").to_owned();
    let known = with_header(world, &path, ("if-none-match", &etag));
    let free = known.header("x-ratelimit-remaining") == before;
    checks.that("a known answer is free", known.status == 304 && free);
    let mut last = 200;
    for _request in 0..60 {
        last = world.get("reed", &path).status;
    }
    checks.that("limits turn away", last == 403);
}
