//! From a delivery to what the engine should read sooner.

use crate::wire::issue::repository_of;
use ralph_core::hidden_marker;
use ralph_core::ids::{IssueKey, PullNumber, RepoName};
use ralph_core::label::{self, ManagedLabel, Status};
use ralph_engine::Hint;
use serde::Deserialize;

/// Pull requests that one check can name; a delivery with more does not concern us.
const PULLS_MAX: usize = 50;
/// Branches of our own tasks: their heads are seen through their pull requests.
const OWN_BRANCHES: &str = "refs/heads/ralph/";

/// The hints in a delivery of this event; none if it is not understood or does not concern us.
///
/// Most of what happens to a managed issue is our own doing, and its echo would cost a read each time. So
/// what mostly we do is left to the poll: labels that are output, labels made, comments with our marker,
/// pushes to our branches. So are checks that have merely begun. A `status` delivery names a commit and no
/// pull request, so it hints at nothing either.
#[must_use]
pub fn hints(event: &str, body: &[u8]) -> Vec<Hint> {
    let Ok(delivery) = serde_json::from_slice::<Delivery>(body) else { return Vec::new() };
    let Some(repo) = delivery.repository.as_ref().and_then(Repository::name) else {
        return Vec::new();
    };
    match event {
        "issues" if delivery.is_output_label() => Vec::new(),
        "issue_comment" if delivery.is_our_comment() => Vec::new(),
        "issues" | "issue_comment" => delivery.changed_issue(&repo).into_iter().collect(),
        "label" if delivery.action.as_deref() == Some("created") => Vec::new(),
        "push" if delivery.is_our_branch() => Vec::new(),
        "label" => vec![Hint::Labels(repo)],
        "push" => vec![Hint::Branches(repo)],
        "pull_request" => delivery.pull_request.iter().map(|pull| pull.hint(&repo)).collect(),
        "check_run" | "check_suite" => {
            let checks = delivery.check_run.iter().chain(&delivery.check_suite);
            let ended = checks.filter(|check| check.status.as_deref() == Some("completed"));
            let pulls = ended.flat_map(|check| &check.pull_requests).take(PULLS_MAX);
            pulls.map(|pull| pull.hint(&repo)).collect()
        }
        "sub_issues" | "issue_dependencies" => delivery.related(&repo),
        _other => Vec::new(),
    }
}

#[derive(Deserialize)]
struct Delivery {
    action: Option<String>,
    repository: Option<Repository>,
    issue: Option<Issue>,
    label: Option<Label>,
    comment: Option<Comment>,
    pull_request: Option<Pull>,
    check_run: Option<Check>,
    check_suite: Option<Check>,
    parent_issue: Option<Issue>,
    sub_issue: Option<Issue>,
    blocked_issue: Option<Issue>,
    blocking_issue: Option<Issue>,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

#[derive(Deserialize)]
struct Repository {
    full_name: String,
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    repository_url: Option<String>,
    pull_request: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct Comment {
    body: Option<String>,
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
}

#[derive(Deserialize)]
struct Check {
    status: Option<String>,
    #[serde(default)]
    pull_requests: Vec<Pull>,
}

impl Delivery {
    /// Comments on pull requests are none of our business.
    fn changed_issue(&self, repo: &RepoName) -> Option<Hint> {
        let issue = self.issue.as_ref().filter(|issue| issue.pull_request.is_none())?.key(repo);
        Some(match (&self.label, self.is_label_added()) {
            (Some(label), Some(is_added)) => {
                Hint::Label { issue, label: label.name.clone(), is_added }
            }
            (Some(_), None) | (None, _) => Hint::Issue(issue),
        })
    }

    /// A label was put on, or taken off; nothing where it is not about labels.
    fn is_label_added(&self) -> Option<bool> {
        match self.action.as_deref() {
            Some("labeled") => Some(true),
            Some("unlabeled") => Some(false),
            Some(_) | None => None,
        }
    }

    /// A status label other than queued was put on or taken off. People mean nothing by those.
    fn is_output_label(&self) -> bool {
        let is_about_label = self.is_label_added().is_some();
        let label = self.label.as_ref().and_then(|label| label::parse(&label.name));
        let is_output = match label {
            Some(ManagedLabel::Status(status) | ManagedLabel::LegacyStatus(status)) => {
                status != Status::Queued
            }
            Some(ManagedLabel::Command(_) | ManagedLabel::Priority(_)) | None => false,
        };
        is_about_label && is_output
    }

    fn is_our_comment(&self) -> bool {
        let body = self.comment.as_ref().and_then(|comment| comment.body.as_deref());
        body.is_some_and(|body| hidden_marker::find(body).is_some())
    }

    fn is_our_branch(&self) -> bool {
        self.reference.as_deref().is_some_and(|branch| branch.starts_with(OWN_BRANCHES))
    }

    /// Both ends of a link: each of them may be waiting for the other.
    fn related(&self, repo: &RepoName) -> Vec<Hint> {
        let ends = [&self.parent_issue, &self.sub_issue, &self.blocked_issue, &self.blocking_issue];
        let ends = ends.into_iter().flatten();
        ends.map(|issue| Hint::Relations(issue.key(repo))).collect()
    }
}

impl Repository {
    fn name(&self) -> Option<RepoName> {
        RepoName::parse(&self.full_name)
    }
}

impl Issue {
    fn key(&self, delivered: &RepoName) -> IssueKey {
        let named = self.repository_url.as_deref().and_then(repository_of);
        IssueKey::new(named.unwrap_or_else(|| delivered.clone()), self.number)
    }
}

impl Pull {
    fn hint(&self, repo: &RepoName) -> Hint {
        Hint::Pull(repo.clone(), PullNumber(self.number))
    }
}
