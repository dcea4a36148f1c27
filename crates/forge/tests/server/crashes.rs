//! kill -9 in the middle of everything: what was acknowledged is there, and nothing is half done.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::client::{Api, Clone, command};
use crate::test_server::text;

/// A server in a separate process.
pub(crate) struct Remote {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
    agent: ureq::Agent,
}

impl Remote {
    pub(crate) fn start(data: &Path) -> Self {
        Self::try_start(data).unwrap()
    }

    /// None when it does not say where it is.
    pub(crate) fn try_start(data: &Path) -> Option<Self> {
        let mut child = command(env!("CARGO_BIN_EXE_ralph-forge-serve"))
            .arg(data)
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Ok(first) = serde_json::from_str::<Value>(&line) else {
            child.wait().unwrap();
            return None;
        };
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let (url, token) = (text(&first["url"]), text(&first["owner"]["token"]));
        Some(Self { child, url, token, agent })
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(&self.url, Some(&self.token))
    }

    fn answer(&self, address: &str, etag: Option<&str>) -> http::Response<ureq::Body> {
        let request = http::Request::builder().uri(address);
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let request = match etag {
            Some(etag) => request.header("if-none-match", etag),
            None => request,
        };
        self.agent.run(request.body(String::new()).unwrap()).unwrap()
    }

    /// The name of an answer.
    pub(crate) fn etag(&self, address: &str) -> String {
        let answer = self.answer(address, None);
        answer.headers().get("etag").unwrap().to_str().unwrap().to_owned()
    }

    /// The `Link` and the body of an answer to a client that may have it already.
    pub(crate) fn read(&self, address: &str, etag: Option<&str>) -> (String, Vec<u8>) {
        let mut answer = self.answer(address, etag);
        let links = answer.headers().get("link").map(|links| links.to_str().unwrap().to_owned());
        (links.unwrap_or_default(), answer.body_mut().read_to_vec().unwrap())
    }

    pub(crate) fn git_url(&self) -> String {
        let host = self.url.strip_prefix("http://").unwrap();
        format!("http://owner:{}@{host}/owner/app.git", self.token)
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Pushes and comments as fast as it goes until the server is gone; what was acknowledged.
fn work_until_killed(remote: &Remote, work: &Clone) -> (Vec<(String, String)>, Vec<String>) {
    let (url, api) = (remote.git_url(), remote.api());
    let comments = thread::spawn(move || {
        let comment = |number: usize| {
            let body = json!({"body": format!("comment {number}")});
            let sent = api.send("POST", "/repos/owner/app/issues/1/comments", Some(&body)).ok()?;
            (sent.0 == 201).then(|| text(&sent.1["body"]))
        };
        (0..).map_while(comment).collect::<Vec<String>>()
    });
    let push = |number: usize| {
        let branch = format!("branch-{number}");
        let sha = work.commit("file", &branch);
        let said = work.try_git(&["push", "--quiet", &url, &format!("HEAD:refs/heads/{branch}")]);
        said.went_well.then_some((branch, sha))
    };
    let pushed = (0..).map_while(push).collect();
    (pushed, comments.join().unwrap())
}

#[test]
fn what_was_acknowledged_survives_and_git_agrees_with_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let work = Clone::empty(folder.path().join("work"));
    let mut remote = Remote::start(&data);
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    work.commit("file", "first");
    work.git(&["push", "--quiet", &remote.git_url(), "main"]);
    remote.api().ask("POST", "/repos/owner/app/issues", Some(&json!({"title": "T"})));
    let (mut branches, mut bodies) = (Vec::new(), Vec::new());
    for round in 0..4_u64 {
        let pid = remote.child.id();
        let killer = thread::spawn(move || {
            let script = format!("sleep 0.{}; kill -9 {pid}", 5 + round);
            command("sh").args(["-c", &script]).status().unwrap()
        });
        let (pushed, commented) = work_until_killed(&remote, &work);
        killer.join().unwrap();
        branches.extend(pushed);
        bodies.extend(commented);
        remote.child.wait().unwrap();
        remote = Remote::start(&data);
        check(&remote, &branches, &bodies);
        // The next round begins without branches, so that its names do not meet those of this one.
        branches.clear();
        for branch in listed(&work, &remote) {
            if branch != "main" {
                work.git(&["push", "--quiet", &remote.git_url(), "--delete", &branch]);
            }
        }
    }
    assert!(bodies.len() > 4, "too little happened: {bodies:?}");
}

fn listed(work: &Clone, remote: &Remote) -> Vec<String> {
    let listed = work.git(&["ls-remote", "--heads", &remote.git_url()]);
    let name = |line: &str| line.split_once("refs/heads/").unwrap().1.to_owned();
    listed.lines().map(name).collect()
}

fn check(remote: &Remote, branches: &[(String, String)], bodies: &[String]) {
    let api = remote.api();
    let mut comments = Vec::new();
    for page in 1.. {
        let path = format!("/repos/owner/app/issues/1/comments?per_page=100&page={page}");
        let found = api.get(&path);
        let found = found.as_array().unwrap();
        if found.is_empty() {
            break;
        }
        comments.extend(found.iter().map(|comment| text(&comment["body"])));
    }
    for body in bodies {
        assert!(comments.contains(body), "{body} was acknowledged and is gone");
    }
    for (branch, sha) in branches {
        let found = api.get(&format!("/repos/owner/app/git/ref/heads/{branch}"));
        assert_eq!(&text(&found["object"]["sha"]), sha, "{branch}");
    }
    let folder = tempfile::tempdir().unwrap();
    let mirror = Clone::of(&remote.git_url(), folder.path().join("mirror"));
    let model = api.get("/repos/owner/app/branches?per_page=100");
    for branch in model.as_array().unwrap() {
        let name = format!("origin/{}", text(&branch["name"]));
        assert_eq!(mirror.git(&["rev-parse", &name]), text(&branch["commit"]["sha"]));
    }
}

/// Returns whether a process with this word in its command line is there.
fn is_running(word: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap();
    let lines = entries.map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")));
    lines.flatten().any(|line| String::from_utf8_lossy(&line).contains(word))
}

#[test]
fn no_check_outlives_the_server_and_it_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut remote = Remote::start(&data);
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    let work = Clone::empty(folder.path().join("work"));
    let run = "setsid sleep 86500 & sleep 86500";
    let file = format!("[[check]]\nname = \"CI\"\nrun = {run:?}\n");
    work.commit(".ralph/checks.toml", &file);
    work.git(&["push", "--quiet", &remote.git_url(), "main"]);
    work.commit("a", "1");
    work.git(&["push", "--quiet", &remote.git_url(), "main:feature"]);
    let pull = json!({"title": "T", "head": "feature", "base": "main"});
    remote.api().ask("POST", "/repos/owner/app/pulls", Some(&pull));
    while !is_running("sleep\086500") {}
    remote.kill();
    assert!((0..2_000).any(|_again| !is_running("sleep\086500")), "it is an orphan");
    let remote = Remote::start(&data);
    while !is_running("sleep\086500") {}
    drop(remote);
    assert!((0..2_000).any(|_again| !is_running("sleep\086500")), "it is an orphan");
}

#[test]
fn commits_that_the_forge_made_are_the_same_when_they_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut remote = Remote::start(&data);
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app", "auto_init": true})));
    let work = Clone::of(&remote.git_url(), folder.path().join("work"));
    for (number, method) in [(1, "merge"), (2, "squash"), (3, "rebase")] {
        work.git(&["switch", "--quiet", "--create", method, "origin/main"]);
        work.commit(method, "1");
        work.git(&["push", "--quiet", "origin", method]);
        let pull = json!({"title": method, "head": method, "base": "main"});
        remote.api().ask("POST", "/repos/owner/app/pulls", Some(&pull));
        let merge = json!({"merge_method": method});
        remote.api().ask("PUT", &format!("/repos/owner/app/pulls/{number}/merge"), Some(&merge));
    }
    let state = |remote: &Remote| {
        let api = remote.api();
        let read = |path: &str| api.get(&format!("/repos/owner/app/{path}")).to_string();
        let host = remote.url.strip_prefix("http://").unwrap();
        ["branches", "pulls?state=all", "commits"].map(|path| read(path).replace(host, ""))
    };
    let before = state(&remote);
    remote.kill();
    let remote = Remote::start(&data);
    assert_eq!(state(&remote), before);
}
