//! A merge tried out: three trees in, the merged tree or the paths in conflict out.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sha::Sha;
use super::tree::{Files, Tree};

/// What merging two commits would give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The newest common ancestor; none for unrelated histories.
    pub merge_base: Option<Sha>,
    pub outcome: TrialOutcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    Clean(Tree),
    /// Paths that both sides changed to different texts.
    Conflict(Vec<Arc<str>>),
}

impl Trial {
    pub(crate) fn of(merge_base: Option<Sha>, origin: &Tree, ours: &Tree, theirs: &Tree) -> Self {
        Self { merge_base, outcome: merge_trees(origin, ours, theirs) }
    }
}

/// Merges whole files: a path changed on one side takes that side, a path changed on both to
/// different texts is a conflict.
pub(crate) fn merge_trees(origin: &Tree, ours: &Tree, theirs: &Tree) -> TrialOutcome {
    if ours == theirs || origin == theirs {
        return TrialOutcome::Clean(ours.clone());
    }
    if origin == ours {
        return TrialOutcome::Clean(theirs.clone());
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
        TrialOutcome::Clean(Tree::new(merged))
    } else {
        TrialOutcome::Conflict(conflicts)
    }
}
