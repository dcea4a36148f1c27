//! From a delivery to what the engine should read sooner.

use crate::wire::issue::repository_of;
use ralph_core::ids::{IssueKey, PullNumber, RepoName};
use ralph_engine::Hint;
use serde::Deserialize;

/// Pull requests one check can name; more is not a delivery of ours.
const PULLS_MAX: usize = 50;
/// Branches of our own tasks: their heads are seen through their pull requests.
const OWN_BRANCHES: &str = "refs/heads/ralph/";

/// What a delivery of this event hints at; nothing for what is not understood or does not concern us.
///
/// A `status` delivery names a commit and no pull request, so it hints at nothing: the poll finds it.
#[must_use]
pub fn hints(event: &str, body: &[u8]) -> Vec<Hint> {
    let Ok(delivery) = serde_json::from_slice::<Delivery>(body) else { return Vec::new() };
    let Some(repo) = delivery.repository.as_ref().and_then(Repository::name) else {
        return Vec::new();
    };
    match event {
        "issues" | "issue_comment" => {
            delivery.issue.iter().flat_map(|it| it.changed(&repo)).collect()
        }
        "label" => vec![Hint::Repo(repo)],
        "push" if delivery.is_ours() => Vec::new(),
        "push" => vec![Hint::Repo(repo)],
        "pull_request" => delivery.pull_request.iter().map(|it| it.hint(&repo)).collect(),
        "check_run" | "check_suite" => {
            let checks = delivery.check_run.iter().chain(&delivery.check_suite);
            let pulls = checks.flat_map(|check| &check.pull_requests).take(PULLS_MAX);
            pulls.map(|pull| pull.hint(&repo)).collect()
        }
        "sub_issues" | "issue_dependencies" => delivery.related(&repo),
        _other => Vec::new(),
    }
}

#[derive(Deserialize)]
struct Delivery {
    repository: Option<Repository>,
    issue: Option<Issue>,
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
struct Pull {
    number: u64,
}

#[derive(Deserialize)]
struct Check {
    #[serde(default)]
    pull_requests: Vec<Pull>,
}

impl Delivery {
    fn is_ours(&self) -> bool {
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

    /// Comments on pull requests are none of our business.
    fn changed(&self, repo: &RepoName) -> Option<Hint> {
        self.pull_request.is_none().then(|| Hint::Issue(self.key(repo)))
    }
}

impl Pull {
    fn hint(&self, repo: &RepoName) -> Hint {
        Hint::Pull(repo.clone(), PullNumber(self.number))
    }
}
