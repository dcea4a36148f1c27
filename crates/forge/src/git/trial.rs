//! A merge tried out: three trees in, the merged tree or the paths in conflict out.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sha::Sha;
use super::tree::{Files, Tree};

/// The result that merging two commits would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// The merged tree.
    Clean(Sha),
    /// Paths that both sides changed in different ways.
    Conflict(Vec<Arc<str>>),
}

#[derive(Debug)]
pub(crate) enum MergedTrees {
    Clean(Tree),
    Conflict(Vec<Arc<str>>),
}

/// Merges whole files: a path changed on one side takes that side, a path changed on both to
/// different texts is a conflict.
pub(crate) fn merge_trees(origin: &Tree, ours: &Tree, theirs: &Tree) -> MergedTrees {
    if ours == theirs || origin == theirs {
        return MergedTrees::Clean(ours.clone());
    }
    if origin == ours {
        return MergedTrees::Clean(theirs.clone());
    }
    let paths: BTreeSet<&Arc<str>> =
        [origin, ours, theirs].into_iter().flat_map(|tree| tree.files().keys()).collect();
    let mut merged = Files::new();
    let mut conflicts = Vec::new();
    for path in paths {
        let [from, our, their] = [origin, ours, theirs].map(|tree| tree.files().get(path));
        let taken = if our == their || from == their {
            our
        } else if from == our {
            their
        } else {
            conflicts.push(Arc::clone(path));
            continue;
        };
        if let Some(text) = taken {
            merged.insert(Arc::clone(path), Arc::clone(text));
        }
    }
    if conflicts.is_empty() {
        MergedTrees::Clean(Tree::new(merged))
    } else {
        MergedTrees::Conflict(conflicts)
    }
}
