//! The pull request of a trial, and what came of merging its members.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::RepoObservation;
use ralph_core::ids::{PullNumber, RepoName, Sha};
use ralph_core::pull::Pull;

pub(super) fn pull(
    reading: &mut Reading,
    repo: &RepoName,
    number: PullNumber,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(pull) = forge.pull(repo, number)? else { return Ok(()) };
    let checks = Some(forge.checks(repo, &pull.head)?);
    tell(reading, repo, RepoObservation::Trial(Pull { checks, ..pull }));
    Ok(())
}

/// A commit that a lagging read does not know yet is asked for again.
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
