//! Commits taken from one place and made again in another, as a rebase merge does.

use std::sync::Arc;

use super::commit::{Commit, Content, NewCommit};
use super::graph::{Graph, UnknownCommit};
use super::sha::Sha;
use super::tree::Tree;
use super::trial::{TrialOutcome, merge_trees};

#[derive(Debug)]
pub(crate) enum Replayed {
    Onto(Sha),
    Conflict,
}

impl Graph {
    /// Makes `commits` (oldest first) again on top of `onto`; merge commits are left out, as git does.
    pub(crate) fn replay(
        &mut self,
        commits: &[Arc<Commit>],
        onto: Sha,
        at: u64,
    ) -> Result<Replayed, UnknownCommit> {
        let mut tree = self.known(onto)?.tree.clone();
        let mut planned = Vec::new();
        for commit in commits.iter().filter(|commit| commit.parents.len() < 2) {
            let parent = commit.parents.first().and_then(|sha| self.get(*sha));
            let origin = parent.map_or_else(Tree::default, |parent| parent.tree.clone());
            match merge_trees(&origin, &tree, &commit.tree) {
                TrialOutcome::Clean(merged) => tree = merged,
                TrialOutcome::Conflict(_paths) => return Ok(Replayed::Conflict),
            }
            planned.push((Arc::clone(commit), tree.clone()));
        }
        let mut tip = onto;
        for (commit, tree) in planned {
            tip = self.add(NewCommit {
                parents: vec![tip],
                content: Content::Whole(tree),
                message: commit.message.clone(),
                author: commit.author.clone(),
                at,
            })?;
        }
        Ok(Replayed::Onto(tip))
    }
}
