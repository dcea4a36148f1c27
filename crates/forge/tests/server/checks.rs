//! Local checks: what `.ralph/checks.toml` asks for, as a client sees it.

use serde_json::{Value, json};

use crate::client::{Api, Clone};
use crate::test_server::{REPO, TestServer, Who, text};

fn define(work: &Clone, checks: &[(&str, &str)]) {
    let checks = checks.iter().map(|(name, run)| {
        format!("[[check]]\nname = {name:?}\nrun = {run:?}\ntimeout = \"60s\"\n")
    });
    work.commit(".ralph/checks.toml", &checks.collect::<String>());
    work.git(&["push", "--quiet"]);
}

/// A pull whose branch writes one file; its head.
fn pull(server: &TestServer, work: &Clone, branch: &str, path: &str, content: &str) -> String {
    work.git(&["switch", "--quiet", "--create", branch, "main"]);
    let head = work.commit(path, content);
    work.git(&["push", "--quiet", "origin", branch]);
    let pull = json!({"title": branch, "head": branch, "base": "main"});
    server.bot().ask("POST", &format!("/repos/{REPO}/pulls"), Some(&pull));
    work.git(&["switch", "--quiet", "main"]);
    head
}

fn runs(api: &Api, head: &str) -> Vec<Value> {
    let path = format!("/repos/{REPO}/commits/{head}/check-runs?filter=all");
    api.get(&path)["check_runs"].as_array().unwrap().clone()
}

/// Waits until so many runs of a commit are in a state. The forge is asked to take its time with
/// each answer, so that asking again does not keep the checks from running.
fn reached(server: &TestServer, head: &str, status: &str, count: usize) -> Vec<Value> {
    let slowly = json!([{"path": "/check-runs$", "delay_ms": 20}]);
    server.owner().ask("PUT", "/_forge/faults", Some(&slowly));
    for _again in 0..2_000 {
        let runs = runs(&server.bot(), head);
        if runs.iter().filter(|run| run["status"] == status).count() >= count {
            return runs;
        }
    }
    panic!("not enough runs are {status}: {:?}", runs(&server.bot(), head));
}

fn ended(server: &TestServer, head: &str, count: usize) -> Vec<Value> {
    reached(server, head, "completed", count)
}

#[test]
fn the_head_of_a_pull_is_checked_and_says_what_went_wrong_where() {
    let (server, work) = TestServer::new();
    define(&work, &[("CI", "cat src/a.c; echo 'src/a.c:3:1: error: no <b>'; exit 3")]);
    let head = pull(&server, &work, "feature", "src/a.c", "int a;\n");
    let runs = ended(&server, &head, 1);
    assert_eq!((&runs[0]["name"], &runs[0]["conclusion"]), (&json!("CI"), &json!("failure")));
    assert_eq!(text(&runs[0]["output"]["text"]), "int a;\nsrc/a.c:3:1: error: no <b>\n");
    assert!(text(&runs[0]["output"]["title"]).contains("exit status 3"));
    let id = &runs[0]["id"];
    let annotations = server.bot().get(&format!("/repos/{REPO}/check-runs/{id}/annotations"));
    assert_eq!(
        (&annotations[0]["path"], &annotations[0]["start_line"]),
        (&json!("src/a.c"), &json!(3))
    );
    let details = text(&runs[0]["details_url"]);
    let page = Api::new("", None).get(&details);
    assert!(page.as_str().unwrap().contains("src/a.c:3:1: error: no &lt;b&gt;"), "{page}");
}

#[test]
fn a_pull_is_checked_by_the_checks_of_its_base() {
    let (server, work) = TestServer::new();
    define(&work, &[("CI", "test ! -e broken")]);
    let head = pull(&server, &work, "feature", ".ralph/checks.toml", "");
    let runs = ended(&server, &head, 1);
    assert_eq!((runs.len(), &runs[0]["conclusion"]), (1, &json!("success")));
}

#[test]
fn the_tip_of_a_protected_branch_is_checked_at_its_own_commit() {
    let (server, work) = TestServer::new();
    define(&work, &[("CI", "test -e README.md")]);
    let head = server.tip("main");
    assert_eq!(runs(&server.bot(), &head).len(), 0);
    server.protect("main", &[]);
    assert_eq!(ended(&server, &head, 1)[0]["conclusion"], "success");
}

#[test]
fn each_new_head_is_checked_and_a_run_is_repeated_on_request() {
    let (server, work) = TestServer::new();
    define(&work, &[("CI", "true"), ("lint", "true")]);
    let first = pull(&server, &work, "feature", "a", "1");
    ended(&server, &first, 2);
    work.git(&["switch", "--quiet", "feature"]);
    let second = work.commit("a", "2");
    work.git(&["push", "--quiet", "origin", "feature"]);
    let runs = ended(&server, &second, 2);
    let lint = runs.iter().find(|run| run["name"] == "lint").unwrap();
    let rerequest = format!("/repos/{REPO}/check-runs/{}/rerequest", lint["id"]);
    server.bot().ask("POST", &rerequest, None);
    assert_eq!(ended(&server, &second, 3).len(), 3);
}

#[test]
fn a_check_that_takes_too_long_is_ended_with_everything_it_started() {
    let (server, work) = TestServer::new();
    let run = "echo started; (setsid sleep 1000 &) ; sleep 1000";
    let file = format!("[[check]]\nname = \"CI\"\nrun = {run:?}\ntimeout = \"1s\"\n");
    work.commit(".ralph/checks.toml", &file);
    work.git(&["push", "--quiet"]);
    let head = pull(&server, &work, "feature", "a", "1");
    let runs = ended(&server, &head, 1);
    assert_eq!(runs[0]["conclusion"], "timed_out");
    assert_eq!(text(&runs[0]["output"]["text"]), "started\n");
}

#[test]
fn a_check_sees_nothing_of_its_surroundings() {
    let (server, work) = TestServer::new();
    define(
        &work,
        &[("CI", "env | cut -d= -f1 | sort | tr '\\n' ' '; echo; cat; git status --short")],
    );
    let head = pull(&server, &work, "feature", "a", "1");
    let runs = ended(&server, &head, 1);
    let log = text(&runs[0]["output"]["text"]);
    let names: Vec<&str> = log.lines().next().unwrap().split_whitespace().collect();
    let allowed = ["CI", "HOME", "LANG", "OLDPWD", "PATH", "PWD", "SHLVL", "TMPDIR", "_"];
    assert!(names.iter().all(|name| allowed.contains(name)), "{names:?}");
    assert_eq!(log.lines().count(), 1, "the checkout is clean and nothing can be read: {log}");
}

#[test]
fn a_sandboxed_check_reaches_neither_the_data_nor_the_network() {
    for checks_network in [false, true] {
        let server = TestServer::with(|options| options.checks_network = checks_network);
        if !server.is_sandboxed() {
            return;
        }
        let work = server.found();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let run = format!(
            "ls -A {0} | tr '\\n' ' '; ls -A {0}/checks | wc -l; touch {0}/x 2>/dev/null && echo wrote; \
             python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)' \
             2>/dev/null && echo reached; exit 0",
            server.place("data").display()
        );
        define(&work, &[("CI", &run)]);
        let head = pull(&server, &work, "feature", "a", "1");
        let log = text(&ended(&server, &head, 1)[0]["output"]["text"]);
        let reached = if checks_network { "reached\n" } else { "" };
        assert_eq!(log, format!("checks 1\n{reached}"));
    }
}

#[test]
fn a_check_cannot_change_what_the_forge_keeps() {
    let (mut server, work) = TestServer::new();
    let run = "for object in $(find .git/objects -type f); do \
               chmod u+w $object && echo broken > $object || exit 1; done";
    define(&work, &[("CI", run)]);
    let head = pull(&server, &work, "feature", "a", "1");
    assert_eq!(ended(&server, &head, 1)[0]["conclusion"], "success");
    server.restart();
    assert_eq!(server.notices(), [""; 0]);
    let copy = server.clone(Who::Owner, "copy");
    assert_eq!(copy.git(&["rev-parse", "origin/feature"]), head);
    copy.git(&["fsck", "--full"]);
}

/// A push or a merge that is under way makes files below `objects` and renames them. A copy that has seen the former name
/// finds what a broken link shows it: nothing.
#[test]
fn a_file_that_git_is_about_to_rename_does_not_keep_a_check_from_starting() {
    let (server, work) = TestServer::new();
    define(&work, &[("CI", "git cat-file -e HEAD~1 && git rev-parse --verify main")]);
    let repo = std::fs::read_dir(server.place("data/git")).unwrap().next().unwrap().unwrap().path();
    let objects = repo.join("objects/0d");
    std::fs::create_dir_all(&objects).unwrap();
    std::os::unix::fs::symlink("renamed", objects.join("tmp_obj_8XIns5")).unwrap();
    let head = pull(&server, &work, "feature", "a", "1");
    let runs = ended(&server, &head, 1);
    assert_eq!(runs[0]["conclusion"], "success", "{:?}", runs[0]["output"]);
}

#[test]
fn a_link_out_of_the_checkout_says_nothing_about_the_machine() {
    let (server, work) = TestServer::new();
    let outside = server.place("outside");
    std::fs::write(&outside, "x").unwrap();
    let run = format!(
        "ln -s {} link; echo 'link:1: outside'; echo 'README.md:1: inside'; exit 1",
        outside.display()
    );
    define(&work, &[("CI", &run)]);
    let head = pull(&server, &work, "feature", "a", "1");
    let id = ended(&server, &head, 1)[0]["id"].clone();
    let found = server.bot().get(&format!("/repos/{REPO}/check-runs/{id}/annotations"));
    let paths: Vec<String> =
        found.as_array().unwrap().iter().map(|one| text(&one["path"])).collect();
    assert_eq!(paths, ["README.md"]);
}

#[test]
fn definitions_that_cannot_be_read_fail_as_a_check() {
    let (server, work) = TestServer::new();
    work.commit(".ralph/checks.toml", "[[check]]\nname = \"CI\"\n");
    work.git(&["push", "--quiet"]);
    let head = pull(&server, &work, "feature", "a", "1");
    let runs = ended(&server, &head, 1);
    assert_eq!(runs[0]["name"], ".ralph/checks.toml");
    assert!(text(&runs[0]["output"]["summary"]).contains("missing field `run`"));
}

#[test]
fn what_was_running_at_the_end_is_run_again_at_the_next_start() {
    let (mut server, work) = TestServer::new();
    define(&work, &[("CI", "sleep 4")]);
    let head = pull(&server, &work, "feature", "a", "1");
    reached(&server, &head, "in_progress", 1);
    server.restart();
    assert_ne!(runs(&server.bot(), &head)[0]["status"], "completed");
    let runs = ended(&server, &head, 1);
    assert_eq!((runs.len(), &runs[0]["conclusion"]), (1, &json!("success")));
    server.stop();
    assert_eq!(std::fs::read_dir(server.place("data/checks")).unwrap().count(), 0);
}

#[test]
fn the_page_of_a_run_in_a_private_repository_is_private() {
    let (server, work) = TestServer::new();
    server.owner().ask("PATCH", &format!("/repos/{REPO}"), Some(&json!({"private": true})));
    define(&work, &[("CI", "true")]);
    let head = pull(&server, &work, "feature", "a", "1");
    let details = text(&ended(&server, &head, 1)[0]["details_url"]);
    assert_eq!(Api::new("", None).status("GET", &details, None), 401);
    assert_eq!(Api::new("", Some("bot-token")).status("GET", &details, None), 200);
}

#[test]
fn a_check_of_one_base_says_nothing_about_another() {
    let (server, work) = TestServer::new();
    define(&work, &[("CI", "test ! -e broken")]);
    server.protect("main", &["CI"]);
    work.git(&["switch", "--quiet", "--create", "mine", "main"]);
    work.commit(".ralph/checks.toml", "[[check]]\nname = \"CI\"\nrun = \"true\"\n");
    work.git(&["push", "--quiet", "origin", "mine"]);
    work.git(&["switch", "--quiet", "--create", "feature", "main"]);
    let head = work.commit("broken", "1");
    work.git(&["push", "--quiet", "origin", "feature"]);
    let open = |base: &str| {
        let pull = json!({"title": base, "head": "feature", "base": base});
        server.bot().ask("POST", &format!("/repos/{REPO}/pulls"), Some(&pull))["number"].clone()
    };
    let mine = open("mine");
    assert_eq!(ended(&server, &head, 1)[0]["conclusion"], "success");
    let main = open("main");
    let merge = format!("/repos/{REPO}/pulls/{main}/merge");
    assert_eq!(server.bot().status("PUT", &merge, Some(&json!({}))), 405);
    let runs = ended(&server, &head, 2);
    let mut found: Vec<&Value> = runs.iter().map(|run| &run["conclusion"]).collect();
    found.sort_by_key(|value| value.to_string());
    assert_eq!(found, ["failure", "success"]);
    assert_eq!(server.bot().status("PUT", &merge, Some(&json!({}))), 405);
    // Closed and asked for again it is still the base's check that runs, not the head's own.
    server.bot().ask(
        "PATCH",
        &format!("/repos/{REPO}/pulls/{main}"),
        Some(&json!({"state": "closed"})),
    );
    server.bot().ask(
        "PATCH",
        &format!("/repos/{REPO}/pulls/{mine}"),
        Some(&json!({"state": "closed"})),
    );
    let failed = runs.iter().find(|run| run["conclusion"] == "failure").unwrap();
    server.bot().ask("POST", &format!("/repos/{REPO}/check-runs/{}/rerequest", failed["id"]), None);
    let again = ended(&server, &head, 3);
    assert_eq!(again.iter().filter(|run| run["conclusion"] == "failure").count(), 2);
}
