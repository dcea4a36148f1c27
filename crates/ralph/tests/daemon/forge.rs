//! A forge in a separate process, with one repository in it, and its owner.

use crate::process::{Process, program, ralph, run};
use crate::waiting::until;
use http::{Request, Response};
use ralph_adapters::http_transport::{HttpSettings, HttpTransport, SendError};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

pub(crate) const REPO: &str = "ada/app";
/// The check that the forge runs on every pull request.
const CHECKS: &str = "[[check]]\nname = \"CI\"\nrun = \"true\"\n";

pub(crate) struct Forge {
    folder: PathBuf,
    /// Flags beyond those that every forge here has.
    flags: &'static [&'static str],
    /// The `PATH` of its process, if it is not that of these tests.
    path: Option<OsString>,
    process: Option<Process>,
    pub(crate) url: String,
    pub(crate) bot_token: String,
    pub(crate) owner_token: String,
    transport: HttpTransport,
}

/// A port without a listener.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

impl Forge {
    /// With the repository `ada/app` in it.
    pub(crate) fn start(folder: &Path) -> Self {
        // The checks are these tests' own.
        Self::start_as(folder, &["--unsafe-checks"], None)
    }

    pub(crate) fn start_as(
        folder: &Path,
        flags: &'static [&'static str],
        path: Option<OsString>,
    ) -> Self {
        let transport = HttpTransport::new(&HttpSettings::default()).expect("settings that work");
        let mut forge = Self {
            folder: folder.to_owned(),
            flags,
            path,
            process: None,
            url: format!("http://127.0.0.1:{}", free_port()),
            bot_token: String::new(),
            owner_token: String::new(),
            transport,
        };
        let greeting = forge.come_back();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        forge.bot_token = text(&greeting["bot"]["token"]);
        forge.owner_token = text(&greeting["owner"]["token"]);
        forge.ask("POST", "/user/repos", &json!({"name": "app"}));
        forge.push_project();
        forge
    }

    /// Starts where it was, with all that it knew.
    pub(crate) fn come_back(&mut self) -> Value {
        let address = self.url.trim_start_matches("http://").to_owned();
        let mut serve = ralph();
        serve.args(["forge", "serve", "--owner", "ada", "--allow-faults", "--listen", &address]);
        serve.args(self.flags).envs(self.path.iter().map(|path| ("PATH", path)));
        let process = Process::start(serve.arg("--data").arg(self.folder.join("data")));
        let greeting = serde_json::from_str(&process.first_line()).expect("a greeting");
        self.process = Some(process);
        greeting
    }

    pub(crate) fn go_down(&mut self) {
        self.process.take().map(Process::stop);
    }

    /// Ends it, and returns what it said on standard error.
    pub(crate) fn go_down_with_words(&mut self) -> String {
        self.process.take().map(|process| process.stop().stderr).unwrap_or_default()
    }

    fn push_project(&self) {
        let project = self.folder.join("project");
        std::fs::create_dir_all(project.join(".ralph")).expect("a folder");
        std::fs::write(project.join("README.md"), "# App\n").expect("a file");
        std::fs::write(project.join(".ralph/checks.toml"), CHECKS).expect("a file");
        let url = self.url.replace("//", &format!("//ada:{}@", self.owner_token));
        let (name, mail) = ("user.name=Ada", "user.email=ada@example.com");
        for words in [
            &["init", "--quiet"][..],
            &["add", "--all"],
            &["-c", name, "-c", mail, "commit", "--quiet", "--message", "Begin"],
            &["push", "--quiet", &format!("{url}/{REPO}.git"), "HEAD:refs/heads/main"],
        ] {
            let ran = run(program("git").args(words).current_dir(&project));
            assert_eq!(ran.code, Some(0), "git {words:?}: {}", ran.stderr);
        }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Response<Vec<u8>>, SendError> {
        let request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("authorization", format!("Bearer {}", self.owner_token));
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.transport.send(request.body(body).expect("a request"))
    }

    /// The answer to a request of the owner.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.send(method, path, body).expect("an answer");
        let value: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
        assert!(answer.status().is_success(), "{method} {path}: {} {value}", answer.status());
        value
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.ask("GET", path, &Value::Null)
    }

    /// A list below the repository; never more than a hundred in these tests.
    pub(crate) fn list(&self, what: &str) -> Vec<Value> {
        let separator = if what.contains('?') { '&' } else { '?' };
        let found = self.get(&format!("/repos/{REPO}/{what}{separator}per_page=100"));
        found.as_array().expect("a list").clone()
    }

    /// The faults from now on.
    pub(crate) fn fault(&self, rules: &Value) {
        self.ask("PUT", "/_forge/faults", rules);
    }

    /// Opens an issue and queues it.
    pub(crate) fn open_issue(&self, title: &str, body: &str) -> u64 {
        let issue = json!({"title": title, "body": body, "labels": ["ralph:status:queued"]});
        let opened = self.ask("POST", &format!("/repos/{REPO}/issues"), &issue);
        opened["number"].as_u64().expect("a number")
    }

    /// The issue's labels, without the prefix that all have.
    pub(crate) fn status(&self, issue: u64) -> Vec<String> {
        let found = self.get(&format!("/repos/{REPO}/issues/{issue}"));
        let labels = found["labels"].as_array().expect("labels").iter();
        let names =
            labels.filter_map(|label| label["name"].as_str()?.strip_prefix("ralph:status:"));
        names.map(str::to_owned).collect()
    }

    pub(crate) fn wait_for_status(&self, issue: u64, status: &str) {
        until(&format!("#{issue} {status}"), || (self.status(issue) == [status]).then_some(()));
    }

    /// Pull requests of issues, newest first, without the rollup.
    pub(crate) fn task_pulls(&self) -> Vec<Value> {
        let mut pulls = self.list("pulls?state=all");
        pulls.retain(|pull| pull["base"]["ref"] != "main");
        pulls
    }

    /// Merges the rollup as soon as the forge allows it.
    pub(crate) fn merge_rollup(&self) {
        let pulls = self.list("pulls?state=open&base=main");
        let [rollup] = pulls.as_slice() else { panic!("one rollup: {pulls:?}") };
        let path = format!("/repos/{REPO}/pulls/{}/merge", rollup["number"]);
        until("a rollup that can be merged", || {
            let answer = self.send("PUT", &path, &json!({})).expect("an answer");
            (answer.status() == 200).then_some(())
        });
    }

    /// Everything a reader could see twice is there at most once.
    pub(crate) fn assert_nothing_twice(&self) {
        let pulls = self.list("pulls?state=all");
        let heads: Vec<_> = pulls.iter().map(|pull| pull["head"]["ref"].to_string()).collect();
        assert_distinct("pull requests", &heads);
        for issue in self.list("issues?state=all") {
            let number = &issue["number"];
            let comments = self.list(&format!("issues/{number}/comments"));
            let bodies: Vec<_> =
                comments.iter().map(|comment| comment["body"].to_string()).collect();
            assert_distinct(&format!("comments on #{number}"), &bodies);
            let events = self.list(&format!("issues/{number}/events"));
            let labels = events.iter().filter(|event| event["label"]["name"].is_string());
            let reported = |event: &Value| format!("{} {}", event["event"], event["label"]["name"]);
            let changes: Vec<_> = labels.map(reported).collect();
            assert_distinct(&format!("label events of #{number}"), &changes);
        }
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        // One that is killed may leave a git at work in the folder that goes next.
        if !std::thread::panicking() {
            self.go_down();
        }
    }
}

fn assert_distinct(what: &str, all: &[String]) {
    let once: BTreeSet<_> = all.iter().collect();
    assert_eq!(once.len(), all.len(), "{what}: {all:#?}");
}
