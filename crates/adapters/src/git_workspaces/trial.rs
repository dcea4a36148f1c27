//! Heads merged one onto the other, for checks to be run on all of them at once. No worktree is needed, and
//! it stays local until it is pushed.

use super::mirror::{Merged, Mirror};
use crate::git::GitError;
use ralph_core::ids::Sha;
use ralph_engine::ports::Built;

/// A head that conflicts with an earlier one is left out, as is one that is missing or has another history.
pub(super) fn build(mirror: Mirror<'_>, base: &Sha, heads: &[&Sha]) -> Result<Built, GitError> {
    let mut commit = base.clone();
    let mut trees = Vec::with_capacity(heads.len());
    for head in heads {
        let is_here = mirror.find(head.as_str())?.is_some();
        let is_kin = is_here && mirror.has_merge_base(&commit, head)?;
        let merged = if is_kin { Some(mirror.merge(&commit, head)?) } else { None };
        trees.push(match merged {
            Some(Merged::Clean { tree }) => {
                let message = format!("Merge {} to be tried with others", head.short());
                commit = mirror.commit(&tree, &[&commit, head], &message)?;
                Some(tree)
            }
            Some(Merged::Conflict { .. }) | None => None,
        });
    }
    Ok(Built { commit, trees })
}
