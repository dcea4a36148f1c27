//! Addresses of GitHub's resources, below the base of the API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ralph_core::ids::{Branch, IssueKey, RepoName, Sha};
use std::fmt::Display;

/// The characters that are not escaped inside one segment of a path or one value of a query.
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

/// A branch as git knows it; the slashes in its name are slashes of the path.
pub(crate) fn reference(repo: &RepoName, branch: &Branch) -> String {
    let parts: Vec<_> = branch.as_str().split('/').map(|it| part(it).to_string()).collect();
    format!("/repos/{repo}/git/refs/heads/{}", parts.join("/"))
}

/// The difference of two commits. One commit in the list is enough, all files come with it.
pub(crate) fn comparison(repo: &RepoName, base: &Sha, head: &Sha) -> String {
    let (base, head) = (part(base.as_str()), part(head.as_str()));
    format!("/repos/{repo}/compare/{base}...{head}?per_page=1")
}
