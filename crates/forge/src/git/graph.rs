//! The commits of one repository and the questions about their ancestry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::commit::{Commit, Content, NewCommit};
use super::sha::Sha;
use super::tree::Tree;
use super::trial::Trial;

#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    commits: BTreeMap<Sha, Arc<Commit>>,
    trials: BTreeMap<(Sha, Sha), Arc<Trial>>,
}

/// A parent or a compared commit is not in the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnknownCommit(pub(crate) Sha);

/// How two commits lie to each other.
#[derive(Debug, Default)]
pub(crate) struct Split {
    /// Reachable from the left only, newest first.
    pub(crate) left_only: Vec<Arc<Commit>>,
    /// Reachable from the right only, newest first.
    pub(crate) right_only: Vec<Arc<Commit>>,
    pub(crate) merge_base: Option<Sha>,
}

const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const BOTH: u8 = LEFT | RIGHT;

impl Graph {
    /// Adds a commit. Equal commits made twice get different names, as their moments differ in life.
    pub(crate) fn add(&mut self, new: NewCommit) -> Result<Sha, UnknownCommit> {
        let mut generation = 0;
        for parent in &new.parents {
            generation = generation.max(self.known(*parent)?.generation + 1);
        }
        let first = new.parents.first().and_then(|parent| self.get(*parent));
        let tree = match new.content {
            Content::Whole(tree) => tree,
            Content::Changes(changes) => first
                .map_or_else(Tree::default, |commit| commit.tree.clone())
                .with_changes(&changes),
        };
        let sequence = self.commits.len() as u64;
        let numbers = [new.at.to_le_bytes(), sequence.to_le_bytes()].concat();
        let texts = [&numbers, new.message.as_bytes(), new.author.as_bytes()];
        let tree_sha = tree.sha();
        let named = std::iter::once(&tree_sha).chain(&new.parents).map(Sha::as_bytes);
        let sha = Sha::of(texts.into_iter().chain(named));
        let NewCommit { parents, message, author, at, .. } = new;
        let commit = Commit { sha, parents, tree, message, author, at, generation, sequence };
        self.commits.insert(sha, Arc::new(commit));
        Ok(sha)
    }

    pub(crate) fn get(&self, sha: Sha) -> Option<&Arc<Commit>> {
        self.commits.get(&sha)
    }

    pub(crate) fn known(&self, sha: Sha) -> Result<&Arc<Commit>, UnknownCommit> {
        self.commits.get(&sha).ok_or(UnknownCommit(sha))
    }

    /// Whether `descendant` is `ancestor` or has it in its history.
    pub(crate) fn is_ancestor(&self, ancestor: Sha, descendant: Sha) -> bool {
        let (Some(goal), Some(start)) = (self.get(ancestor), self.get(descendant)) else {
            return false;
        };
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(commit) = open.pop() {
            if commit.sha == ancestor {
                return true;
            }
            if commit.generation > goal.generation && seen.insert(commit.sha) {
                open.extend(commit.parents.iter().filter_map(|parent| self.get(*parent)));
            }
        }
        false
    }

    /// Walks both histories from the newest, so that it ends soon after they meet.
    pub(crate) fn split(&self, left: Sha, right: Sha) -> Result<Split, UnknownCommit> {
        let mut walk = Walk::default();
        walk.reach(self.known(left)?, LEFT);
        walk.reach(self.known(right)?, RIGHT);
        let mut split = Split::default();
        while let Some((commit, sides)) = walk.next() {
            match sides {
                LEFT => split.left_only.push(Arc::clone(&commit)),
                RIGHT => split.right_only.push(Arc::clone(&commit)),
                _both => split.merge_base = split.merge_base.or(Some(commit.sha)),
            }
            for parent in &commit.parents {
                walk.reach(self.known(*parent)?, sides);
            }
            if walk.one_sided == 0 && split.merge_base.is_some() {
                break;
            }
        }
        Ok(split)
    }

    /// The merge of `head` into `base`, tried once and remembered.
    pub(crate) fn trial(&mut self, base: Sha, head: Sha) -> Result<Arc<Trial>, UnknownCommit> {
        if let Some(trial) = self.trials.get(&(base, head)) {
            return Ok(Arc::clone(trial));
        }
        let merge_base = self.split(base, head)?.merge_base;
        let origin = merge_base.and_then(|sha| self.get(sha)).map(|commit| commit.tree.clone());
        let origin = origin.unwrap_or_default();
        let trial =
            Trial::of(merge_base, &origin, &self.known(base)?.tree, &self.known(head)?.tree);
        let trial = Arc::new(trial);
        self.trials.insert((base, head), Arc::clone(&trial));
        Ok(trial)
    }
}

/// Commits still to be looked at, the longest history first: when one comes up, everything that can
/// lead to it has been seen, so its sides are final.
#[derive(Default)]
struct Walk {
    queue: BTreeMap<(u64, u64), (Arc<Commit>, u8)>,
    /// Queued commits reached from one side only; the walk is over when none is left.
    one_sided: usize,
}

impl Walk {
    fn reach(&mut self, commit: &Arc<Commit>, sides: u8) {
        let key = (commit.generation, commit.sequence);
        let entry = self.queue.entry(key).or_insert_with(|| (Arc::clone(commit), 0));
        let before = entry.1;
        entry.1 |= sides;
        match (before, entry.1) {
            (0, LEFT | RIGHT) => self.one_sided += 1,
            (LEFT | RIGHT, BOTH) => self.one_sided -= 1,
            _unchanged => {}
        }
    }

    fn next(&mut self) -> Option<(Arc<Commit>, u8)> {
        let (_key, (commit, sides)) = self.queue.pop_last()?;
        if sides != BOTH {
            self.one_sided -= 1;
        }
        Some((commit, sides))
    }
}
