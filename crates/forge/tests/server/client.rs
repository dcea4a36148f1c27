//! The `git` program and an HTTP client, as a user has them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder in which git is used, with nothing of the surroundings.
pub(crate) struct Clone {
    pub(crate) path: PathBuf,
}

/// The output of a command, and its success.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) went_well: bool,
    /// Output and complaints together.
    pub(crate) text: String,
}

#[expect(clippy::disallowed_methods, reason = "the one place where these tests start programs")]
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

pub(crate) fn git_in(folder: &Path) -> Command {
    let mut git = command("git");
    git.current_dir(folder).stdin(Stdio::null());
    git.envs([
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.com"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.com"),
        ("LC_ALL", "C"),
    ]);
    git
}

fn said(output: &Output) -> Said {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    Said { went_well: output.status.success(), text: format!("{out}{err}") }
}

impl Clone {
    /// A new repository without commits.
    pub(crate) fn empty(path: PathBuf) -> Self {
        std::fs::create_dir_all(&path).unwrap();
        let clone = Self { path };
        clone.git(&["init", "--quiet", "--initial-branch=main"]);
        clone
    }

    pub(crate) fn of(url: &str, path: PathBuf) -> Self {
        let parent = path.parent().unwrap().to_owned();
        let output = git_in(&parent).args(["clone", "--quiet", url]).arg(&path).output().unwrap();
        let said = said(&output);
        assert!(said.went_well, "{}", said.text);
        Self { path }
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> Said {
        said(&git_in(&self.path).args(arguments).output().unwrap())
    }

    /// A command that must go well; what it said.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let said = self.try_git(arguments);
        assert!(said.went_well, "git {arguments:?}: {}", said.text);
        said.text.trim().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path.join(path)).unwrap()
    }

    /// A commit that writes one file; its sha.
    pub(crate) fn commit(&self, path: &str, text: &str) -> String {
        self.write(path, text);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", &format!("Write {path}")]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// A client of the REST API with one token.
#[derive(Clone)]
pub(crate) struct Api {
    url: String,
    token: Option<String>,
    agent: ureq::Agent,
}

impl Api {
    pub(crate) fn new(url: &str, token: Option<&str>) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Self { url: url.to_owned(), token: token.map(str::to_owned), agent }
    }

    /// Status and body; an error when no answer came.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), ureq::Error> {
        let mut request =
            http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut response = self.agent.run(request.body(body).unwrap())?;
        let text = response.body_mut().read_to_string()?;
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok((response.status().as_u16(), value))
    }

    pub(crate) fn status(&self, method: &str, path: &str, body: Option<&Value>) -> u16 {
        self.send(method, path, body).unwrap().0
    }

    /// A request that must go well; what it is answered.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, value) = self.send(method, path, body).unwrap();
        assert!((200..300).contains(&status), "{method} {path}: {status} {value}");
        value
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None)
    }
}
