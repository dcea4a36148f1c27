//! Pull requests and their checks: those of issues, and those that Ralph opens for a repository.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::{Fact, Observation, RepoObservation, What};
use ralph_core::ids::{IssueKey, PullNumber, RepoName};
use ralph_core::pull::Pull;

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    number: PullNumber,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(pull) = forge.pull(&key.repo, number)? else { return Ok(()) };
    let checks = forge.checks(&key.repo, &pull.head)?;
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Pull(pull))));
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Checks(checks))));
    Ok(())
}

/// A sync pull request, or that of a trial: `seen_as` says which.
pub(super) fn of_repo(
    reading: &mut Reading,
    (repo, number): (&RepoName, PullNumber),
    seen_as: fn(Pull) -> RepoObservation,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(pull) = forge.pull(repo, number)? else { return Ok(()) };
    let checks = Some(forge.checks(repo, &pull.head)?);
    tell(reading, repo, seen_as(Pull { checks, ..pull }));
    Ok(())
}
