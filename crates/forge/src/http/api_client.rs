//! A client of the forge's REST API, which works as a person with a token does: for the demo, for importing, and
//! for tests. The caller provides the transport.

mod snapshot;

pub use snapshot::{Snapshot, Thread};

use std::fmt;

use http::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::counts::Count;

/// A client with the token of one person.
#[derive(Debug)]
pub struct ApiClient<S> {
    url: String,
    token: String,
    send: S,
}

/// An issue that was just opened.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub struct OpenedIssue {
    pub number: u64,
    /// The id that relations are made with.
    pub id: u64,
}

/// Requests to one route of the forge.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct RouteCount {
    pub method: String,
    pub route: String,
    #[serde(flatten)]
    pub count: Count,
}

/// A request that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiClientError {
    pub doing: String,
    /// `None` when there was no answer.
    pub status: Option<StatusCode>,
    pub message: String,
}

impl fmt::Display for ApiClientError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => {
                write!(formatter, "{} was answered with {status}: {}", self.doing, self.message)
            }
            None => write!(formatter, "{} was not answered: {}", self.doing, self.message),
        }
    }
}

impl std::error::Error for ApiClientError {}

#[derive(Deserialize)]
struct Numbered {
    number: u64,
}

impl<S, E> ApiClient<S>
where
    S: FnMut(Request<Vec<u8>>) -> Result<Response<Vec<u8>>, E>,
    E: fmt::Display,
{
    /// `url` has no slash at its end.
    pub fn new(url: &str, token: &str, send: S) -> Self {
        Self { url: url.to_owned(), token: token.to_owned(), send }
    }

    /// Makes an empty repository of one's own.
    pub fn create_repository(&mut self, name: &str) -> Result<(), ApiClientError> {
        self.change(Method::POST, "/user/repos", &json!({ "name": name })).map(drop)
    }

    pub fn open_issue(
        &mut self,
        repo: &str,
        title: &str,
        body: &str,
        labels: &[String],
    ) -> Result<OpenedIssue, ApiClientError> {
        let path = format!("/repos/{repo}/issues");
        let issue = json!({ "title": title, "body": body, "labels": labels });
        let answer = self.change(Method::POST, &path, &issue)?;
        read(&path, &answer)
    }

    /// Makes an issue wait for another.
    pub fn block(&mut self, repo: &str, issue: u64, by: OpenedIssue) -> Result<(), ApiClientError> {
        let path = format!("/repos/{repo}/issues/{issue}/dependencies/blocked_by");
        self.change(Method::POST, &path, &json!({ "issue_id": by.id })).map(drop)
    }

    pub fn add_child(
        &mut self,
        repo: &str,
        parent: u64,
        child: OpenedIssue,
    ) -> Result<(), ApiClientError> {
        let path = format!("/repos/{repo}/issues/{parent}/sub_issues");
        self.change(Method::POST, &path, &json!({ "sub_issue_id": child.id })).map(drop)
    }

    pub fn add_label(&mut self, repo: &str, issue: u64, label: &str) -> Result<(), ApiClientError> {
        let path = format!("/repos/{repo}/issues/{issue}/labels");
        self.change(Method::POST, &path, &json!({ "labels": [label] })).map(drop)
    }

    /// Adds a hook that posts every event to `to`, signed with the secret.
    pub fn add_hook(&mut self, repo: &str, to: &str, secret: &str) -> Result<(), ApiClientError> {
        let config = json!({ "url": to, "content_type": "json", "secret": secret });
        let hook = json!({ "name": "web", "active": true, "events": ["*"], "config": config });
        self.change(Method::POST, &format!("/repos/{repo}/hooks"), &hook).map(drop)
    }

    /// The numbers of the open pull requests into a branch.
    pub fn open_pulls(&mut self, repo: &str, base: &str) -> Result<Vec<u64>, ApiClientError> {
        let path = format!("/repos/{repo}/pulls?state=open&base={base}");
        let answer = self.ask(Method::GET, &path, Vec::new())?;
        let pulls: Vec<Numbered> = read(&path, &answer)?;
        Ok(pulls.into_iter().map(|pull| pull.number).collect())
    }

    pub fn merge(&mut self, repo: &str, pull: u64) -> Result<(), ApiClientError> {
        let path = format!("/repos/{repo}/pulls/{pull}/merge");
        self.change(Method::PUT, &path, &json!({})).map(drop)
    }

    /// Returns a user's requests since the forge started, by route.
    pub fn requests_of(&mut self, login: &str) -> Result<Vec<RouteCount>, ApiClientError> {
        let path = format!("/_forge/requests?login={login}");
        let answer = self.ask(Method::GET, &path, Vec::new())?;
        read(&path, &answer)
    }

    fn change(
        &mut self,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Vec<u8>, ApiClientError> {
        self.ask(method, path, body.to_string().into_bytes())
    }

    fn ask(
        &mut self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, ApiClientError> {
        let doing = format!("{method} {path}");
        let failed = |status, message| ApiClientError { doing: doing.clone(), status, message };
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("accept", "application/vnd.github+json")
            .header("x-github-api-version", "2022-11-28")
            .body(body)
            .map_err(|error| failed(None, error.to_string()))?;
        let answer = (self.send)(request).map_err(|error| failed(None, error.to_string()))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer.into_body());
        }
        let said: Option<Value> = serde_json::from_slice(answer.body()).ok();
        let said = said.as_ref().and_then(|said| said.get("message")?.as_str());
        Err(failed(Some(status), said.unwrap_or("no reason given").to_owned()))
    }
}

fn read<T: for<'a> Deserialize<'a>>(path: &str, answer: &[u8]) -> Result<T, ApiClientError> {
    serde_json::from_slice(answer).map_err(|error| ApiClientError {
        doing: path.to_owned(),
        status: None,
        message: format!("the answer cannot be understood: {error}"),
    })
}
