//! A running forge with a repository in it, and short ways to use both.

use std::path::{Path, PathBuf};

use ralph_contain::{Containment, GuardProgram};
use ralph_forge::{Credentials, Options, Running};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Api, Clone};

pub(crate) const REPO: &str = "ada/app";

/// The holder of the token that git is given.
#[derive(Clone, Copy)]
pub(crate) enum Who {
    Owner,
    Bot,
}

pub(crate) struct TestServer {
    running: Option<Running>,
    folder: TempDir,
}

/// The program beside these tests, which is a guard when asked to be.
fn guard() -> GuardProgram {
    let program = env!("CARGO_BIN_EXE_ralph-forge-serve").into();
    GuardProgram { program, arguments: vec!["guard".into()] }
}

pub(crate) fn options(data: &Path) -> Options {
    Options {
        data: Some(data.to_owned()),
        owner: "ada".to_owned(),
        owner_token: Some("ada-token".to_owned()),
        bot_token: Some("bot-token".to_owned()),
        allow_faults: true,
        unsafe_checks: true,
        guard: guard(),
        ..Options::default()
    }
}

impl TestServer {
    /// A forge without repositories.
    pub(crate) fn empty() -> Self {
        Self::with(|_options| {})
    }

    /// The same with other options, which hold until the first restart.
    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(&folder.path().join("data"));
        change(&mut options);
        Self { running: Some(Running::start(options).unwrap()), folder }
    }

    /// With the repository `ada/app`, and `README.md` on its branch `main`.
    pub(crate) fn new() -> (Self, Clone) {
        let server = Self::empty();
        let work = server.found();
        (server, work)
    }

    /// Tells whether checks run in a sandbox here.
    pub(crate) fn is_sandboxed(&self) -> bool {
        let running = self.running.as_ref().unwrap();
        matches!(running.containment, Containment::Bubblewrap(_))
    }

    /// Makes the repository `ada/app`, with `README.md` on its branch `main`.
    pub(crate) fn found(&self) -> Clone {
        self.owner().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
        let work = Clone::empty(self.place("work"));
        work.git(&["remote", "add", "origin", &self.url(Who::Owner, REPO)]);
        work.commit("README.md", "# app\n");
        work.git(&["push", "--quiet", "--set-upstream", "origin", "main"]);
        work
    }

    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn running(&self) -> &Running {
        self.running.as_ref().unwrap()
    }

    pub(crate) fn base(&self) -> &str {
        &self.running().url
    }

    /// Returns the notices of the server's start.
    pub(crate) fn notices(&self) -> &[String] {
        &self.running().notices
    }

    pub(crate) fn credentials(&self, who: Who) -> &Credentials {
        match who {
            Who::Owner => &self.running().owner,
            Who::Bot => &self.running().bot,
        }
    }

    pub(crate) fn owner(&self) -> Api {
        Api::new(self.base(), Some(&self.credentials(Who::Owner).token))
    }

    pub(crate) fn bot(&self) -> Api {
        Api::new(self.base(), Some(&self.credentials(Who::Bot).token))
    }

    /// Returns the address of a repository for git, credentials included.
    pub(crate) fn url(&self, who: Who, repo: &str) -> String {
        let credentials = self.credentials(who);
        let host = self.base().strip_prefix("http://").unwrap();
        format!("http://{}:{}@{host}/{repo}.git", credentials.login, credentials.token)
    }

    pub(crate) fn clone(&self, who: Who, name: &str) -> Clone {
        Clone::of(&self.url(who, REPO), self.place(name))
    }

    pub(crate) fn protect(&self, branch: &str, contexts: &[&str]) {
        let checks = (!contexts.is_empty()).then(|| json!({"strict": false, "contexts": contexts}));
        let body = json!({
            "required_status_checks": checks,
            "enforce_admins": true,
            "required_pull_request_reviews": null,
            "restrictions": null,
        });
        let path = format!("/repos/{REPO}/branches/{branch}/protection");
        self.owner().ask("PUT", &path, Some(&body));
    }

    /// Returns the tip of a branch, according to the API.
    pub(crate) fn tip(&self, branch: &str) -> String {
        let found = self.owner().get(&format!("/repos/{REPO}/git/ref/heads/{branch}"));
        text(&found["object"]["sha"])
    }

    /// Stops the server and starts another on the same folder.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.start();
    }

    pub(crate) fn start(&mut self) {
        self.start_with(|_options| {});
    }

    /// The same with other options.
    pub(crate) fn start_with(&mut self, change: impl FnOnce(&mut Options)) {
        let mut options = options(&self.place("data"));
        change(&mut options);
        self.running = Some(Running::start(options).unwrap());
    }

    pub(crate) fn stop(&mut self) {
        self.running.take().unwrap().stop();
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
