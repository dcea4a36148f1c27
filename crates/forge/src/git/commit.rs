//! One commit, and what it takes to make one.

use std::collections::BTreeMap;

use super::sha::Sha;
use super::tree::Tree;

/// A commit in a repository's graph, whether or not a branch leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub sha: Sha,
    pub parents: Vec<Sha>,
    pub tree: Tree,
    pub message: String,
    pub author: String,
    /// Unix seconds.
    pub at: u64,
    /// Longer than that of every parent, so that walks can stop early.
    pub(crate) generation: u64,
    /// The order of making, so that walks are the same in every run.
    pub(crate) sequence: u64,
}

/// A commit to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub parents: Vec<Sha>,
    pub content: Content,
    pub message: String,
    pub author: String,
    /// Unix seconds.
    pub at: u64,
}

/// What a new commit holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Files written (`Some`) or removed (`None`) on top of the first parent.
    Changes(BTreeMap<String, Option<String>>),
    /// Everything, as from a trial merge.
    Whole(Tree),
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
