//! Sentences about reads that failed, and why.

use crate::ids::{IssueKey, PullNumber, RepoName};
use crate::unread::ReadOf;
use crate::watch::Resource;

/// The name of a part of an issue that is read.
#[must_use]
pub(super) const fn named(of: ReadOf) -> &'static str {
    match of {
        ReadOf::Issue => "the issue",
        ReadOf::Relations => "its native dependencies and sub-issues",
        ReadOf::Blockers => "issues that it waits for",
        ReadOf::Comments => "its comments",
        ReadOf::Pull => "its pull request",
        ReadOf::Checks => "the check runs and statuses of its pull request",
        ReadOf::Reach => "whether its change has reached the default branch",
        ReadOf::RequiredChecks => "which checks are required",
    }
}

pub(super) fn could_not(of: ReadOf, why: &str) -> String {
    format!("{} cannot be read: {why}", named(of))
}

/// The first of several reasons, with the number of the others.
#[must_use]
pub fn and_more(first: &str, more: usize) -> String {
    format!("{first} (and {more} more like this)")
}

#[must_use]
pub fn no_such_pull(repo: &RepoName, number: PullNumber) -> String {
    format!("the forge says that there is no pull request {number} in {repo}")
}

/// The reason why an issue cannot be read that the forge no longer shows.
pub const GONE: &str = "the forge says that there is no such issue";

/// The message that the repository was renamed, with its new name if the forge says it.
#[must_use]
pub fn renamed(repo: &RepoName, name: Option<&str>) -> String {
    let to = name.map_or_else(|| "renamed".to_owned(), |name| format!("renamed to {name}"));
    format!("{repo} was {to}: write its new name into the configuration and start Ralph again")
}

#[must_use]
pub fn out_of_sight(repo: &RepoName) -> String {
    format!(
        "{repo} is not there, or may not be read with these credentials: see to its name in the configuration and to \
         the rights of the token"
    )
}

/// A resource of the forge, by the name that people know.
#[must_use]
pub fn resource(resource: &Resource) -> String {
    match resource {
        Resource::Issues(repo) => format!("issues of {repo}"),
        Resource::Branches(repo) => format!("branches of {repo}"),
        Resource::Labels(repo) => format!("label definitions of {repo}"),
        Resource::Required(repo) => format!("required checks of {repo}"),
        Resource::Mark(repo) => format!("the mark of the Ralph that works in {repo}"),
        Resource::Protection(repo) => format!("branch protection of {repo}"),
        Resource::Rollup(repo, number) => format!("rollup {number} of {repo}"),
        Resource::Behind(repo) => format!("what {repo}'s bot branch lacks of its default branch"),
        Resource::Sync(repo, number) => format!("sync pull request {number} of {repo}"),
        Resource::Trial(repo, number) => format!("trial {number} of {repo}"),
        Resource::Tree(repo, commit) => format!("commit {} of {repo}", commit.short()),
        Resource::Issue(key) => format!("issue {key}"),
        Resource::Look(key) => format!("issue {key} and what blocks it"),
        Resource::Native(key) => format!("dependencies and sub-issues of {key}"),
        Resource::Commands(key) => format!("label events of {key}"),
        Resource::Comments(key) => format!("comments of {key}"),
        Resource::Pull(key, number) => format!("pull request {number} of {key} and its checks"),
        Resource::CheckLog(key, _, name) => format!("log of the check {name} of {key}"),
        Resource::Reach(key) => format!("whether {key} has reached the default branch"),
        Resource::Recall(key) => format!("what was done for {key} before"),
        Resource::Proof(key) => format!("what shows that nothing is left of {key}"),
        Resource::Evidence(key) => format!("what was merged for {key}"),
    }
}

/// The message that the forge shows an issue as closed, but not yet what closed it.
#[must_use]
pub fn closing_untold(key: &IssueKey) -> String {
    format!("{key} is closed, and what closed it is not shown yet")
}
