//! The git of one repository: the same questions answered by a graph in memory or by a bare
//! repository on disk. Callers never see whole trees.

pub(crate) mod bare;
pub(crate) mod commit;
pub(crate) mod diff;
pub(crate) mod fault;
pub(crate) mod graph;
mod history;
mod object;
pub(crate) mod object_kind;
pub(crate) mod ref_name;
pub(crate) mod sha;
pub(crate) mod store;
pub(crate) mod tree;
pub(crate) mod trial;
mod written;

use std::collections::BTreeSet;
use std::sync::Arc;

use bare::Bare;
use commit::{Commit, NewCommit};
use diff::{ChangeForm, Detail, EntryKind, FileChange, FileContent, FolderContent, FolderEntry};
use fault::GitFault;
use graph::Graph;
use sha::Sha;
use trial::Trial;

/// Fewer digits of a sha mean too much.
const SHORT_SHA_MIN: usize = 4;

#[derive(Clone, Debug)]
pub(crate) enum Git {
    /// Cloning shares until one of the two changes.
    Memory(Arc<Graph>),
    Disk(Arc<Bare>),
}

/// The commits by which two histories differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    /// The number of commits that only the left has.
    pub(crate) behind: usize,
    /// The number of commits that only the right has.
    pub(crate) ahead: usize,
    /// Those of the right, oldest first; of very many the newest only.
    pub(crate) commits: Vec<Arc<Commit>>,
    pub(crate) merge_base: Option<Sha>,
}

/// The result of making commits again in another place.
#[derive(Debug)]
pub(crate) enum Replayed {
    Onto(Sha),
    Conflict,
}

impl Default for Git {
    fn default() -> Self {
        Self::Memory(Arc::default())
    }
}

impl Git {
    /// A commit, whether or not a branch leads to it.
    pub(crate) fn commit(&self, sha: Sha) -> Result<Arc<Commit>, GitFault> {
        match self {
            Self::Memory(graph) => graph.commit(sha).cloned(),
            Self::Disk(bare) => bare.commit(sha),
        }
    }

    /// Returns whether a new reference may have this full name.
    pub(crate) fn takes_name(&self, name: &str) -> Result<bool, GitFault> {
        match self {
            Self::Memory(_graph) => Ok(ref_name::is_well_formed(name)),
            Self::Disk(bare) => bare.takes_name(name),
        }
    }

    pub(crate) fn contains(&self, sha: Sha) -> Result<bool, GitFault> {
        match self.commit(sha) {
            Ok(_commit) => Ok(true),
            Err(GitFault::UnknownCommit(_sha)) => Ok(false),
            Err(broken @ GitFault::Broken { .. }) => Err(broken),
        }
    }

    /// Returns whether `descendant` is `ancestor` or has it in its history.
    pub(crate) fn is_ancestor(&self, ancestor: Sha, descendant: Sha) -> Result<bool, GitFault> {
        match self {
            Self::Memory(graph) => Ok(graph.is_ancestor(ancestor, descendant)),
            Self::Disk(bare) => bare.is_ancestor(ancestor, descendant),
        }
    }

    /// Those of `tips` that are `ancestor` or have it in their history.
    pub(crate) fn descendants(
        &self,
        ancestor: Sha,
        tips: &BTreeSet<Sha>,
    ) -> Result<BTreeSet<Sha>, GitFault> {
        match self {
            Self::Memory(graph) => {
                Ok(tips.iter().copied().filter(|tip| graph.is_ancestor(ancestor, *tip)).collect())
            }
            Self::Disk(bare) => bare.descendants(ancestor, tips),
        }
    }

    pub(crate) fn split(&self, left: Sha, right: Sha) -> Result<Split, GitFault> {
        match self {
            Self::Memory(graph) => graph.split(left, right),
            Self::Disk(bare) => bare.split(left, right),
        }
    }

    /// The merge of `head` into `base`, tried once and remembered.
    pub(crate) fn trial(&mut self, base: Sha, head: Sha) -> Result<Arc<Trial>, GitFault> {
        match self {
            Self::Memory(graph) => Arc::make_mut(graph).trial(base, head),
            Self::Disk(bare) => bare.trial(base, head),
        }
    }

    /// Returns the changes between two commits, by path; from nothing when `from` is none.
    pub(crate) fn changes(
        &self,
        from: Option<Sha>,
        to: Sha,
        detail: Detail,
    ) -> Result<Vec<FileChange>, GitFault> {
        match self {
            Self::Memory(graph) => graph.changes(from, to, detail),
            Self::Disk(bare) => bare.changes(from, to, detail),
        }
    }

    /// The text of a file at a commit.
    pub(crate) fn text(&self, commit: Sha, path: &str) -> Result<Option<Arc<str>>, GitFault> {
        match self {
            Self::Memory(graph) => graph.text(commit, path),
            Self::Disk(bare) => bare.text(commit, path),
        }
    }

    /// A file or a link at a commit, with its bytes up to so many; nothing for a folder.
    pub(crate) fn file(
        &self,
        commit: Sha,
        path: &str,
        bytes_max: usize,
    ) -> Result<Option<FileContent>, GitFault> {
        match self {
            Self::Memory(graph) => graph.file(commit, path),
            Self::Disk(bare) => bare.file(commit, path, bytes_max),
        }
    }

    /// The one commit whose sha begins so, if there is one.
    pub(crate) fn find_commit(&self, beginning: &str) -> Result<Option<Sha>, GitFault> {
        let is_short_sha = (SHORT_SHA_MIN..40).contains(&beginning.len())
            && beginning.bytes().all(|digit| digit.is_ascii_hexdigit());
        match self {
            _ if !is_short_sha => Ok(None),
            Self::Memory(graph) => Ok(graph.find_commit(&beginning.to_ascii_lowercase())),
            Self::Disk(bare) => bare.find_commit(beginning),
        }
    }

    /// The commit that an object is or leads to, as a tag does.
    pub(crate) fn peel(&self, sha: Sha) -> Result<Option<Sha>, GitFault> {
        if self.contains(sha)? {
            return Ok(Some(sha));
        }
        match self {
            Self::Memory(graph) => Ok(graph.tag(sha).map(|tag| tag.tag.object)),
            Self::Disk(bare) => bare.find_commit(&sha.to_string()),
        }
    }

    /// Changes from one commit to another, written down.
    pub(crate) fn show_changes(
        &self,
        from: Option<Sha>,
        to: Sha,
        form: ChangeForm,
    ) -> Result<Vec<u8>, GitFault> {
        match self {
            Self::Memory(graph) => {
                let changes = graph.changes(from, to, Detail::Patches)?;
                let commit = graph.commit(to)?;
                Ok(written::show(&changes, commit, form).into_bytes())
            }
            Self::Disk(bare) => bare.show_changes(from, to, form),
        }
    }

    /// Every path at a commit, in order.
    pub(crate) fn paths(&self, commit: Sha) -> Result<Vec<Arc<str>>, GitFault> {
        match self {
            Self::Memory(graph) => graph.paths(commit),
            Self::Disk(bare) => bare.paths(commit),
        }
    }

    /// Returns the entries of a folder, by path; nothing for what is no folder.
    pub(crate) fn folder(&self, commit: Sha, path: &str) -> Result<FolderContent, GitFault> {
        let (tree, entries) = match self {
            Self::Memory(graph) => (graph.folder_sha(commit, path)?, graph.folder(commit, path)?),
            Self::Disk(bare) => (bare.folder_sha(commit, path)?, bare.folder(commit, path)?),
        };
        let (path, kind, size) = (path.to_owned(), EntryKind::Folder, None);
        Ok(FolderContent { entry: FolderEntry { path, kind, sha: tree, size }, entries })
    }

    /// A commit and all before it, the newest first; only what changed `path`, if it is named.
    pub(crate) fn log(&self, tip: Sha, path: Option<&str>) -> Result<Vec<Sha>, GitFault> {
        match self {
            Self::Memory(graph) => graph.log(tip, path),
            Self::Disk(bare) => bare.log(tip, path),
        }
    }

    pub(crate) fn add(&mut self, new: NewCommit) -> Result<Sha, GitFault> {
        match self {
            Self::Memory(graph) => Arc::make_mut(graph).add(new),
            Self::Disk(bare) => bare.add(new),
        }
    }

    /// Makes `commits` (oldest first) again on top of `onto`; merge commits are left out, as git does.
    pub(crate) fn replay(
        &mut self,
        commits: &[Arc<Commit>],
        onto: Sha,
        at: u64,
    ) -> Result<Replayed, GitFault> {
        match self {
            Self::Memory(graph) => Arc::make_mut(graph).replay(commits, onto, at),
            Self::Disk(bare) => bare.replay(commits, onto, at),
        }
    }

    /// Commits in the history of `tip` that name an issue perhaps and that no branch had led to
    /// before, oldest first; `tips` are where the branches point now.
    pub(crate) fn publish(&mut self, tip: Sha, tips: &[Sha]) -> Result<Vec<Arc<Commit>>, GitFault> {
        match self {
            Self::Memory(graph) => Arc::make_mut(graph).publish(tip),
            Self::Disk(bare) => bare.unseen(tip, tips),
        }
    }
}
