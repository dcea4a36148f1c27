//! One commit, and what it takes to make one.

use std::collections::BTreeMap;

use super::sha::Sha;

/// A commit of a repository, whether or not a branch leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub sha: Sha,
    pub parents: Vec<Sha>,
    /// The name of what it holds: equal content has an equal name.
    pub tree: Sha,
    pub message: String,
    /// The author's name; a login for commits that the forge made.
    pub author: String,
    pub email: String,
    /// The time of writing; unix seconds.
    pub authored_at: u64,
    /// The time of committing; unix seconds.
    pub at: u64,
}

/// A commit to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub parents: Vec<Sha>,
    pub content: Content,
    pub message: String,
    /// A login.
    pub author: String,
    /// Unix seconds.
    pub at: u64,
}

/// The content of a new commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Files written (`Some`) or removed (`None`) on top of the first parent.
    Changes(BTreeMap<String, Option<String>>),
    /// All of a tree that is there already, as from a trial merge or another commit.
    Whole(Sha),
}

impl Content {
    /// Files written on top of the first parent.
    #[must_use]
    pub fn written<P: Into<String>, T: Into<String>>(
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let files = files.into_iter().map(|(path, text)| (path.into(), Some(text.into())));
        Self::Changes(files.collect())
    }
}

/// The address GitHub gives to people who keep theirs private.
pub(crate) fn email_of(login: &str) -> String {
    format!("{login}@users.noreply.github.com")
}
