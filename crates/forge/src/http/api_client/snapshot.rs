//! The visible content of a repository, without what differs from one run of the same story to the next: ids, commits,
//! numbers of threads and times. Two snapshots of the same end are equal.

use std::collections::BTreeMap;
use std::fmt;

use http::{Method, Request, Response};
use serde::Deserialize;

use super::{ApiClient, ApiClientError, read};

/// Items asked for at once: as many as the forge gives.
const PAGE: usize = 100;
/// A shorter piece of text may be a word; GitHub shortens commits to this.
const COMMIT_CHARACTERS_MIN: usize = 7;

/// Everything in a repository, by title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Issues by title, pull requests by their two branches and title.
    pub threads: BTreeMap<String, Vec<Thread>>,
    pub branches: Vec<String>,
}

/// An issue or a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Open, closed or merged.
    pub state: String,
    pub body: String,
    pub labels: Vec<String>,
    /// Author and text of each comment, in their order.
    pub comments: Vec<String>,
    /// Each time a label was put on or taken off, and by whom, in their order.
    pub label_events: Vec<String>,
    /// The files that a pull request changes, with the number of lines.
    pub files: Vec<String>,
    /// The conclusion of each check of a pull request's head.
    pub checks: Vec<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Someone {
    login: String,
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    title: String,
    body: Option<String>,
    state: String,
    state_reason: Option<String>,
    labels: Vec<Named>,
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Comment {
    user: Someone,
    body: String,
}

#[derive(Deserialize)]
struct Event {
    event: String,
    actor: Option<Someone>,
    label: Option<Named>,
}

#[derive(Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
}

#[derive(Deserialize)]
struct Pull {
    merged: bool,
    head: Side,
    base: Side,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    status: String,
    additions: u64,
    deletions: u64,
}

#[derive(Deserialize)]
struct Checks {
    check_runs: Vec<Check>,
}

#[derive(Deserialize)]
struct Check {
    name: String,
    conclusion: Option<String>,
}

impl<S, E> ApiClient<S>
where
    S: FnMut(Request<Vec<u8>>) -> Result<Response<Vec<u8>>, E>,
    E: fmt::Display,
{
    /// Reads the whole repository.
    pub fn snapshot(&mut self, repo: &str) -> Result<Snapshot, ApiClientError> {
        let issues: Vec<Issue> = self.all(&format!("/repos/{repo}/issues?state=all"))?;
        let titles: BTreeMap<String, String> =
            issues.iter().map(|issue| (issue.number.to_string(), issue.title.clone())).collect();
        let words = Words { url: self.url.clone(), titles };
        let mut snapshot = Snapshot::default();
        for issue in &issues {
            let mut thread = self.thread(repo, issue, &words)?;
            let name = match issue.pull_request {
                None => issue.title.clone(),
                Some(_) => self.pull(repo, issue, &mut thread)?,
            };
            snapshot.threads.entry(words.plain(&name)).or_default().push(thread);
        }
        for threads in snapshot.threads.values_mut() {
            threads.sort_by(|one, other| one.body.cmp(&other.body));
        }
        let branches: Vec<Named> = self.all(&format!("/repos/{repo}/branches"))?;
        snapshot.branches = branches.into_iter().map(|branch| branch.name).collect();
        Ok(snapshot)
    }

    fn thread(
        &mut self,
        repo: &str,
        issue: &Issue,
        words: &Words,
    ) -> Result<Thread, ApiClientError> {
        let path = format!("/repos/{repo}/issues/{}", issue.number);
        let comments: Vec<Comment> = self.all(&format!("{path}/comments"))?;
        let events: Vec<Event> = self.all(&format!("{path}/events"))?;
        let sign = |event: &Event| match event.event.as_str() {
            "labeled" => Some("+"),
            "unlabeled" => Some("-"),
            _other => None,
        };
        let label_event = |event: &Event| {
            let (sign, label) = (sign(event)?, &event.label.as_ref()?.name);
            let actor = event.actor.as_ref().map_or("nobody", |actor| actor.login.as_str());
            Some(format!("{sign}{label} by {actor}"))
        };
        let comment =
            |comment: &Comment| format!("{}: {}", comment.user.login, words.plain(&comment.body));
        let mut labels: Vec<_> = issue.labels.iter().map(|label| label.name.clone()).collect();
        labels.sort();
        let why = issue.state_reason.as_deref().unwrap_or("open");
        Ok(Thread {
            state: format!("{} ({why})", issue.state),
            body: words.plain_lines(issue.body.as_deref().unwrap_or_default()),
            labels,
            comments: comments.iter().map(comment).collect(),
            label_events: events.iter().filter_map(label_event).collect(),
            ..Thread::default()
        })
    }

    /// Adds what only a pull request has, and gives its name.
    fn pull(
        &mut self,
        repo: &str,
        issue: &Issue,
        to: &mut Thread,
    ) -> Result<String, ApiClientError> {
        let path = format!("/repos/{repo}/pulls/{}", issue.number);
        let answer = self.ask(Method::GET, &path, Vec::new())?;
        let pull: Pull = read(&path, &answer)?;
        if pull.merged {
            "merged".clone_into(&mut to.state);
        }
        let files: Vec<File> = self.all(&format!("{path}/files"))?;
        let file = |file: &File| {
            let File { filename, status, additions, deletions } = file;
            format!("{status} {filename} +{additions} -{deletions}")
        };
        to.files = files.iter().map(file).collect();
        let path = format!("/repos/{repo}/commits/{}/check-runs", pull.head.sha);
        let answer = self.ask(Method::GET, &path, Vec::new())?;
        let checks: Checks = read(&path, &answer)?;
        let ended = |check: &Check| check.conclusion.clone().unwrap_or_else(|| "runs".to_owned());
        to.checks = checks.check_runs.iter().map(|c| format!("{}: {}", c.name, ended(c))).collect();
        to.checks.sort();
        Ok(format!("{} into {}: {}", pull.head.branch, pull.base.branch, issue.title))
    }

    /// Every page of a list.
    fn all<T: for<'a> Deserialize<'a>>(&mut self, path: &str) -> Result<Vec<T>, ApiClientError> {
        let and = if path.contains('?') { '&' } else { '?' };
        let mut all = Vec::new();
        for page in 1_u32.. {
            let path = format!("{path}{and}per_page={PAGE}&page={page}");
            let answer = self.ask(Method::GET, &path, Vec::new())?;
            let mut some: Vec<T> = read(&path, &answer)?;
            let is_last = some.len() < PAGE;
            all.append(&mut some);
            if is_last {
                break;
            }
        }
        Ok(all)
    }
}

/// Replacements that make texts of one forge comparable with those of another.
struct Words {
    url: String,
    titles: BTreeMap<String, String>,
}

impl Words {
    /// Lists of members come in the order in which they were merged, which chance decides.
    fn plain_lines(&self, text: &str) -> String {
        let text = self.plain(text);
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    }

    /// Commits, ids in addresses and times are taken out; numbers of threads become their titles.
    fn plain(&self, text: &str) -> String {
        let text = text.replace(&self.url, "");
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(letter) = rest.chars().next() {
            if let Some(after) = after_time(rest) {
                plain.push_str("<time>");
                rest = after;
                continue;
            }
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length.max(letter.len_utf8()));
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let is_hex = word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
            if is_number && plain.ends_with(['#', '/']) {
                plain.push_str(self.titles.get(word).map_or("<id>", String::as_str));
            } else if is_hex && word.len() >= COMMIT_CHARACTERS_MIN {
                plain.push_str("<commit>");
            } else {
                plain.push_str(word);
            }
            rest = after;
        }
        plain
    }
}

/// The rest of a text that begins with a time as Ralph writes it.
fn after_time(text: &str) -> Option<&str> {
    const SHAPE: &[u8] = b"0000-00-00 00:00:00Z";
    let (time, rest) = text.split_at_checked(SHAPE.len())?;
    let is_alike = |(byte, shape): (u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _separator => byte == *shape,
    };
    time.bytes().zip(SHAPE).all(is_alike).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_same_end_are_equal_and_others_are_not() {
        let words = |url: &str, number: &str| Words {
            url: url.to_owned(),
            titles: BTreeMap::from([(number.to_owned(), "Multiply".to_owned())]),
        };
        let (one, other) = (words("http://127.0.0.1:1", "12"), words("http://127.0.0.1:2", "13"));
        let first = "Fixes #12 at 0123abcdef, see http://127.0.0.1:1/acme/app/runs/71";
        let second = "Fixes #13 at fedc9876543, see http://127.0.0.1:2/acme/app/runs/8";
        assert_eq!(one.plain(first), "Fixes #Multiply at <commit>, see /acme/app/runs/<id>");
        assert_eq!(one.plain(first), other.plain(second));
        assert_ne!(one.plain(first), other.plain("Fixes #13 at fedc9876543, see runs"));
        assert_eq!(one.plain("at 2026-01-31 23:59:08Z: é"), "at <time>: é");
        assert_eq!(one.plain("on 2026-01-31 at 9"), "on 2026-01-31 at 9");
        assert_eq!(one.plain("facade of 42 cafés"), "facade of 42 cafés");
        assert_eq!(one.plain_lines("- #12\n- #1"), other.plain_lines("- #1\n- #13"));
    }
}
