//! The result of merging the entries of a trial build.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::RepoObservation;
use ralph_core::ids::{RepoName, Sha};

/// Reads the tree of a commit. A commit that a lagging read does not show yet is asked for again.
pub(super) fn tree(
    reading: &mut Reading,
    repo: &RepoName,
    commit: &Sha,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(tree) = forge.tree_of(repo, commit)? else { return Ok(()) };
    tell(reading, repo, RepoObservation::Tree { commit: commit.clone(), tree });
    Ok(())
}
