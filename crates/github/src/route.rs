//! Addresses of GitHub's resources, below the base of the API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ralph_core::ids::{Branch, IssueKey, RepoName};
use std::fmt::Display;

/// What stands as it is inside one segment of a path or one value of a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// One segment or one value.
pub(crate) fn part(text: &str) -> impl Display + '_ {
    utf8_percent_encode(text, PLAIN)
}

pub(crate) fn repository(repo: &RepoName) -> String {
    format!("/repos/{repo}")
}

/// The repository that a path is about, if it is about one.
pub(crate) fn repository_of(path: &str) -> Option<RepoName> {
    let mut parts = path.strip_prefix("/repos/")?.split(['/', '?']);
    RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))
}

pub(crate) fn issue(key: &IssueKey) -> String {
    format!("/repos/{}/issues/{}", key.repo, key.number)
}

pub(crate) fn branch(repo: &RepoName, branch: &Branch) -> String {
    format!("/repos/{repo}/branches/{}", part(branch.as_str()))
}
