//! Names of things: repositories, issues, runs, commits. Each is its own type, so that a pull request
//! number can never be passed where an issue number is meant.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Longest `owner/name` that is accepted; GitHub allows 39 + 1 + 100 characters.
const REPO_NAME_BYTES_MAX: usize = 140;

/// `owner/name`, in lower case because GitHub compares repository names without case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoName(Arc<str>);

impl RepoName {
    /// Reads `owner/name`; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let fits = |part: &str| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        let accepted = text.len() <= REPO_NAME_BYTES_MAX && fits(owner) && fits(name);
        accepted.then(|| Self(text.to_ascii_lowercase().into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the slash.
    #[must_use]
    pub fn owner(&self) -> &str {
        self.0.split_once('/').map_or("", |(owner, _)| owner)
    }

    /// The folder name of this repository below a managed root: `owner__name`.
    #[must_use]
    pub fn key(&self) -> String {
        self.0.replacen('/', "__", 1)
    }
}

impl TryFrom<String> for RepoName {
    type Error = NotARepoName;

    fn try_from(text: String) -> Result<Self, NotARepoName> {
        Self::parse(&text).ok_or(NotARepoName { text })
    }
}

impl From<RepoName> for String {
    fn from(name: RepoName) -> Self {
        name.as_str().to_owned()
    }
}

/// The text that was given where `owner/name` is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotARepoName {
    pub text: String,
}

impl fmt::Display for NotARepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a repository name; write it as owner/name", self.text)
    }
}

impl std::error::Error for NotARepoName {}

/// One issue of one repository. Written `owner/name#number`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IssueKey {
    pub repo: RepoName,
    pub number: u64,
}

impl IssueKey {
    #[must_use]
    pub const fn new(repo: RepoName, number: u64) -> Self {
        Self { repo, number }
    }

    /// Reads `owner/name#number`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (repo, number) = text.split_once('#')?;
        let number = number.parse().ok().filter(|n| *n > 0)?;
        Some(Self { repo: RepoName::parse(repo)?, number })
    }
}

macro_rules! shown_as_text {
    ($($name:ty: |$this:ident, $f:ident| $body:expr;)+) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, $f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $this = self;
                $body
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )+};
}

/// One run of an issue: its n-th claim. Written `<issue>-<n>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId {
    pub issue: u64,
    pub run: u32,
}

/// A number that grows with every start of work for an issue. Results that name an older one are ignored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attempt(pub u32);

impl Attempt {
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A pull request's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PullNumber(pub u64);

/// The forge's id of a comment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommentId(pub u64);

/// A commit, by its object id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sha(pub Arc<str>);

impl Sha {
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first ten characters, enough for a person to recognise a commit.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

/// A branch, without `refs/heads/`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Branch(pub Arc<str>);

impl Branch {
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A user of the forge, in lower case because logins compare without case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Login(Arc<str>);

impl Login {
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_ascii_lowercase().into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

shown_as_text! {
    RepoName: |it, f| f.write_str(&it.0);
    IssueKey: |it, f| write!(f, "{}#{}", it.repo, it.number);
    RunId: |it, f| write!(f, "{}-{}", it.issue, it.run);
    Attempt: |it, f| write!(f, "{}", it.0);
    PullNumber: |it, f| write!(f, "#{}", it.0);
    CommentId: |it, f| write!(f, "{}", it.0);
    Sha: |it, f| f.write_str(&it.0);
    Branch: |it, f| f.write_str(&it.0);
    Login: |it, f| f.write_str(&it.0);
}
